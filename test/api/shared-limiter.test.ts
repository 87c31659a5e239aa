import { createSharedLimiter } from '../../api/shared-limiter';
import type { Store } from '../../store/store';
import { rewire } from '../commit-order/rewire';
import { emptyStore } from '../setup/open-store';
import { slowTest } from '../setup/cases';
import { earlyInTheMinute } from '../setup/early-in-the-minute';

let store: Store;
beforeEach(async () => {
  store = await emptyStore();
});

/** What all processes have been told, whichever minute it fell into. */
async function told(): Promise<number> {
  const counts = await store.db.collection<{ points: number }>('attempt_counts').find().toArray();
  return counts.reduce((sum, { points }) => sum + points, 0);
}

slowTest('a count that could not be told shuts nobody out for longer than the database is away', async () => {
  await earlyInTheMinute();
  let isAway = true;
  const shaky = rewire(store, async ({ run }) => {
    if (isAway) throw new Error('away');
    return run();
  });
  const limiter = createSharedLimiter(shaky, 'shaky', 60);
  await expect(limiter.take('a')).rejects.toThrow('away');
  isAway = false;
  expect([await limiter.take('a'), await limiter.take('a')]).toEqual([0, 0]);
  expect(await told()).toBe(3); // the first, too
});

test('of many at once each is told to the other processes once', async () => {
  const limiter = createSharedLimiter(store, 'many', 60);
  await limiter.take('a'); // a stand-in of MongoDB may let two upserts of one new key both insert
  await Promise.all([1, 2, 3, 4].map(() => limiter.take('a')));
  expect(await told()).toBe(5);
});

slowTest(
  'what is counted of 100,000 is forgotten, or whoever owns very many addresses fills the memory',
  async () => {
    const limiter = createSharedLimiter(store, 'crowd', 6_000); // told by the hundred
    for (let time = 1; time < 100; time++) await limiter.take('a');
    for (let other = 1; other < 100_000; other++) await limiter.take(String(other));
    await limiter.take('a');
    expect(await told()).toBe(0);
  },
);
