import pino from 'pino';
import type { WorkerVersions } from '../../temporal/worker-versions';
import { becomeFirstVersion } from '../../worker/become-first-version';
import { holdWaits } from '../setup/hold-waits';

// With a real Temporal: test/workflows/versioning.slow.test.ts.

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
