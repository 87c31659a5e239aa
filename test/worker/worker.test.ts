import type { Worker, WorkerStatus } from '@temporalio/worker';
import { setImmediate } from 'node:timers/promises';
import pino from 'pino';
import type { Store } from '../../store/store';
import { StoreMismatch } from '../../store/store-mismatch';
import type { WorkerVersions } from '../../temporal/worker-versions';
import { becomeFirstVersion } from '../../worker/become-first-version';
import { createMissingLogger, ensurePeriodically, retryUntilReady } from '../../worker/ensure-periodically';
import { healthPaths, type WorkerHealth } from '../../worker/health';
import { hearingSignals } from '../api/start-api';
import { holdWaits } from '../setup/hold-waits';
import { emptyStore } from '../setup/open-store';

describe('health', () => {
  // The worker's process: test/telemetry/serve.slow.test.ts.

  let store: Store;

  beforeAll(async () => {
    store = await emptyStore();
  });

  /** One of the workers of a process, as its SDK reports it. */
  const poller = (status: Partial<WorkerStatus> = {}) =>
    ({
      getStatus: () => ({
        runState: 'RUNNING',
        workflowPollerState: 'POLLING',
        activityPollerState: 'POLLING',
        ...status,
      }),
    }) as Worker;

  // It runs activities and no workflows.
  const ofActivities = (status: Partial<WorkerStatus> = {}) =>
    poller({ workflowPollerState: 'SHUTDOWN', ...status });
  const ALL = [poller(), ofActivities(), ofActivities()];

  /** The answer of a worker where all is well but this. */
  async function readyz(health: Partial<WorkerHealth>) {
    const { temporal } = hearingSignals();
    const paths = healthPaths({ store, temporal, workers: ALL, draining: () => false, ...health });
    const { status, body } = await paths['/readyz']!();
    const { parts } = JSON.parse(body) as { parts: Record<string, string> };
    return { status, down: Object.keys(parts).filter((part) => parts[part] !== 'up') };
  }

  test('a worker is ready when all of its queues are polled', async () => {
    expect(await readyz({})).toEqual({ status: 200, down: [] });
  });

  test.each<[string, Worker[]]>([
    ['the first queue is not polled', [poller({ activityPollerState: 'FAILED' }), ALL[1]!, ALL[2]!]],
    ['the last one is not', [ALL[0]!, ALL[1]!, ofActivities({ activityPollerState: 'SHUTDOWN' })]],
    ['no workflow task is polled for', [poller({ workflowPollerState: 'FAILED' }), ALL[1]!, ALL[2]!]],
    ['one of them has stopped', [ALL[0]!, ofActivities({ runState: 'STOPPED' }), ALL[2]!]],
    ['none is there yet', []],
  ])('it is not where %s', async (_, workers) => {
    expect(await readyz({ workers })).toEqual({ status: 503, down: ['pollers'] });
  });

  test('nor where Temporal is away, nor while it stops', async () => {
    const { temporal } = hearingSignals(false);
    expect(await readyz({ temporal })).toEqual({ status: 503, down: ['temporal'] });
    expect(await readyz({ draining: () => true })).toEqual({ status: 503, down: [] });
  });
});

describe('retry-until-ready', () => {
  afterEach(() => jest.restoreAllMocks());

  const lines: { msg: string; reason: string }[] = [];
  const log = pino({}, { write: (line) => void lines.push(JSON.parse(line)) });

  beforeEach(() => void lines.splice(0));

  /** A part that fails so often before it answers. */
  function part(failures: number, error: Error = new Error('refused')) {
    const stop = new AbortController();
    let calls = 0;
    const call = async () => {
      if (++calls <= failures) throw error;
      return 'ready';
    };
    const result = retryUntilReady(log, 'MongoDB', stop.signal, call);
    const settled = result.then(
      (value) => value,
      ({ name }: Error) => name,
    );
    return { settled, stop: () => stop.abort(), calls: () => calls };
  }

  test('a part that is away is asked every two seconds until it answers', async () => {
    const waits = holdWaits();
    const { settled, calls } = part(2);
    expect([await waits.pass(), calls()]).toEqual([2_000, 2]);
    expect([await waits.pass(), calls()]).toEqual([2_000, 3]);
    expect(await settled).toBe('ready');
    const line = { msg: 'MongoDB does not answer yet', reason: 'refused' };
    expect(lines).toMatchObject([line, line]);
  });

  test('a database of another release is said at once: waiting does not help', async () => {
    holdWaits();
    const { settled, calls } = part(1, new StoreMismatch('the database is of release 9', 'install that'));
    const late = setImmediate('it waits');
    expect([await Promise.race([settled, late]), calls()]).toEqual(['StoreMismatch', 1]);
  });

  test('a worker that is told to stop waits no longer, and asks no more', async () => {
    holdWaits();
    const { settled, stop, calls } = part(1);
    await setImmediate();
    stop();
    const late = setImmediate('it waits on');
    expect([await Promise.race([settled, late]), calls()]).toEqual(['AbortError', 1]);
  });
});

describe('ensure-periodically', () => {
  afterEach(() => jest.restoreAllMocks());

  const lines: { level: number; msg: string; command?: string }[] = [];
  const log = pino({}, { write: (line) => void lines.push(JSON.parse(line)) });

  beforeEach(() => void lines.splice(0));

  const of = (what: string) => ({ missing: what, command: `temporal operator ${what}` });

  test('missing parts are logged when they change, and not every minute; nothing is logged when none is missing', () => {
    const logMissing = createMissingLogger(log);
    const logged = (...missing: ReturnType<typeof of>[]) => {
      lines.splice(0);
      logMissing(missing);
      return lines.map(({ command, msg }) => command ?? msg);
    };
    expect(logged()).toEqual([]);
    expect(logged(of('a'), of('b'))).toEqual(['temporal operator a', 'temporal operator b']);
    expect(logged(of('a'), of('b'))).toEqual([]);
    expect(logged(of('b'))).toEqual(['temporal operator b']);
    expect(logged()).toEqual(['Temporal is completely set up']);
    expect(logged()).toEqual([]);
    expect(logged(of('b'))).toEqual(['temporal operator b']);
  });

  test('it looks once a minute, continues while Temporal is away, and ends with the worker', async () => {
    const waits = holdWaits();
    const stopping = new AbortController();
    let looks = 0;
    const ensure = async () => {
      if (++looks === 1) throw new Error('away');
    };
    const ended = ensurePeriodically(ensure, log, stopping.signal);
    expect(looks).toBe(0);
    expect([await waits.pass(), looks]).toEqual([60_000, 1]);
    expect([await waits.pass(), looks]).toEqual([60_000, 2]);
    stopping.abort();
    await ended;
    expect(looks).toBe(2);
    expect(lines).toMatchObject([{ reason: 'away' }]);
  });
});

describe('become-first-version', () => {
  // With a real Temporal: test/workflows/versioning.nightly.test.ts.

  afterEach(() => jest.restoreAllMocks());

  test('it tries twice a second until a version is current, whatever fails; then it looks once a minute', async () => {
    const waits = holdWaits();
    const lines: { reason: string }[] = [];
    const log = pino({}, { write: (line) => void lines.push(JSON.parse(line)) });
    const stopping = new AbortController();
    const tried: string[] = [];
    const makeFirst = async (buildId: string) => {
      if (tried.push(buildId) === 1) throw new Error('away');
      return tried.length > 2; // then Temporal does not know of it yet
    };
    const versions = { makeFirst } as Partial<WorkerVersions> as WorkerVersions;
    const ended = becomeFirstVersion(versions, 'r7', log, stopping.signal);
    const seen = [];
    for (let wait = 1; wait <= 3; wait++) seen.push(await waits.pass());
    stopping.abort();
    await ended;
    expect([seen, tried.length]).toEqual([[500, 500, 60_000], 4]);
    expect([new Set(tried), lines]).toMatchObject([new Set(['r7']), [{ reason: 'away' }]]);
  });
});
