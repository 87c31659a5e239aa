import type { Worker, WorkerStatus } from '@temporalio/worker';
import type { Store } from '../../store/store';
import { healthPaths, type WorkerHealth } from '../../worker/health';
import { hearingSignals } from '../api/start-api';
import { emptyStore } from '../setup/open-store';

// The worker's process: test/metrics/serve.slow.test.ts.

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
