import { paced, type chargeWalk } from '../../api/limits/walks';
import type { DigestRecord } from '../../store/digest/digest-records';
import { earlyInTheMinute } from '../setup/early-in-the-minute';
import { channelKey, startApi } from './start-api';

interface Walk {
  passed: ReturnType<typeof chargeWalk>;
}

jest.mock('../../store/digest/digest-records', () => ({
  digestRecords: async function* (
    _: never,
    __: never,
    ___: never,
    { passed }: Walk,
  ): AsyncGenerator<DigestRecord[]> {
    const updated_at = new Date();
    for (let batch = 0; batch < 2; batch++) {
      await passed(5_000);
      yield Array.from({ length: 50 }, (_one, id) => ({ id: `${batch} ${id}`, updated_at, pending: false }));
    }
  },
}));

beforeEach(earlyInTheMinute);

test.each([
  ['counts as one request for every 100 records that it passes', 170, [200, 429]],
  ['is not cut off where it passes more than its caller may have', 90, [200, 429]],
])('a digest %s', async (_, requestsPerMinute, statuses) => {
  const api = await startApi({ limits: { requestsPerMinute } });
  const token = await channelKey(api.store, 'walks');
  const ask = () => api.ask('GET', '/api/v1/channels/walks/digest?entity_type=tickets', { token });
  const answers = [await ask(), await ask()];
  expect(answers.map(({ status }) => status)).toEqual(statuses);
  expect(answers[0]!.json).toMatchObject({ records: 100, pending: 0 });
});

test('a walk that is paced leaves three quarters of a core to others', async () => {
  const STEP_MS = 20;
  async function* busy() {
    for (let step = 0; step < 5; step++) {
      const before = process.cpuUsage();
      while (process.cpuUsage(before).user < STEP_MS * 1_000);
      yield step;
    }
  }
  const rests: number[] = [];
  const steps: number[] = [];
  for await (const step of paced(busy(), async (ms) => rests.push(ms))) steps.push(step);
  expect(steps).toEqual([0, 1, 2, 3, 4]);
  expect(rests.filter((ms) => ms >= 3 * STEP_MS)).toHaveLength(5);
});
