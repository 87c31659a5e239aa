import { changeTimeAt, floorOf } from '../../store/feed/change-times';
import type { Store } from '../../store/store';
import { watchCommands } from '../bench/count-commands';
import { closeStore } from '../../store/connect';
import { openBenchStore } from '../bench/open-bench-store';
import { changeTimeOf, putRecords } from '../setup/put-records';

let store: Store;

beforeAll(async () => {
  store = await openBenchStore(process.env.MONGODB_URI!, { monitored: true });
  await putRecords(
    store,
    positions.map((position) => ({ position })),
  );
  const counters = store.db.collection<{ _id: string; position: number }>('counters');
  await counters.updateOne({ _id: 'tickets' }, { $set: { position: 70_000 } });
});
afterAll(() => closeStore(store));

const dense = Array.from({ length: 1_000 }, (_, index) => 50_000 + index);
const positions = [3, 4, 9, 4_000, ...dense, 60_000];

// At, just below and just above changes beside a gap and in a dense range.
const asked = [0, ...[4, 4_000, 50_000, 50_777, 60_000].flatMap((at) => [at - 1, at, at + 1])];

test.each(asked)('the floor of a change time, by few short ranges: %i', async (at) => {
  const first = positions.find((position) => position >= at);
  const sent = await watchCommands(store, async () => {
    expect(await floorOf(store, 'tickets', changeTimeOf(at))).toBe(
      first === undefined ? undefined : first - 1,
    );
  });
  expect(sent.length).toBeLessThan(100);
});

test.each(asked)('the change time at a position: %i', async (at) => {
  const newest = positions.findLast((position) => position <= at);
  expect(await changeTimeAt(store, 'tickets', at)).toEqual(
    newest === undefined ? null : changeTimeOf(newest),
  );
});
