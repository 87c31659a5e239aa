import { setTimeout } from 'node:timers/promises';
import type { Store } from '../../store/store';
import { readCeilings, takePositions } from '../../store/push/counters';
import { findRecord } from '../../store/push/records';
import { isUnavailable, WriteTimeout } from '../../store/unavailable';
import * as pushLocks from '../../store/push/push-locks';
import { emptyStore } from '../setup/open-store';
import { pushRecords } from '../setup/push-records';

jest.mock('../../store/push/push-locks', () => ({
  __esModule: true,
  ...jest.requireActual<object>('../../store/push/push-locks'),
}));

let store: Store;

beforeEach(async () => {
  store = await emptyStore();
});
afterEach(() => jest.restoreAllMocks());

const account = { id: '1001', name: 'Meyer Farms' };
const ticket = (id: string) => ({ id, account_id: '1001' });

/** Holds the counter of tickets in an open transaction, like a process that froze in the middle of a push. */
async function holdCounter() {
  const session = store.client.startSession();
  session.startTransaction();
  await takePositions(store, 'tickets', 1, session);
  return async () => {
    await session.abortTransaction();
    await session.endSession();
  };
}

test('pushes that name their types in opposite order do not wait for each other for ever', async () => {
  // Without the locks of one process, as if each came from a process of its own.
  jest.spyOn(pushLocks, 'acquirePushLocks').mockResolvedValue(() => {});
  const pushes = Array.from({ length: 8 }, (_, i) =>
    i % 2
      ? { tickets: [ticket(`T${i}`)], accounts: [{ ...account, id: `A${i}` }] }
      : { accounts: [{ ...account, id: `A${i}` }], tickets: [ticket(`T${i}`)] },
  );
  const outcomes = await Promise.all(pushes.map((push) => pushRecords(store, push)));
  expect(outcomes).toEqual(pushes.map(() => ({ stored: true, changed: 2, unchanged: 0 })));
  expect(await readCeilings(store)).toMatchObject({ accounts: 8, tickets: 8 });
});

test('a counter that is held: the push waits, and is stored once it is free', async () => {
  const release = await holdCounter();
  const push = pushRecords(store, { tickets: [ticket('T1')] });
  await setTimeout(300);
  expect(await findRecord(store, 'tickets', '42-T1')).toBeNull();
  await pushRecords(store, { accounts: [account] }); // other types do not wait
  await release();
  expect(await push).toMatchObject({ stored: true });
});

test('a counter that stays held: the push is unavailable when its time is over, and nothing of it is stored', async () => {
  const release = await holdCounter();
  // Waiting for the locks has used all but the last second of the 25.
  let waited = 0;
  const now = Date.now;
  jest.spyOn(Date, 'now').mockImplementation(() => now() + waited);
  const { acquirePushLocks } = jest.requireActual<typeof pushLocks>('../../store/push/push-locks');
  jest.spyOn(pushLocks, 'acquirePushLocks').mockImplementation(async (...given) => {
    const unlock = await acquirePushLocks(...given);
    waited = 24_500;
    return unlock;
  });
  const push = pushRecords(store, { accounts: [account], tickets: [ticket('T1')] });
  const answer = push.catch((error: unknown) => error);
  const inTime = await Promise.race([answer, setTimeout(20_000, 'still waiting', { ref: false })]);
  await release();
  await answer;
  expect([isUnavailable(inTime), inTime]).toEqual([true, expect.any(Error)]);
  expect(await findRecord(store, 'accounts', '42-1001')).toBeNull();
  expect(await readCeilings(store)).toMatchObject({ accounts: 0, tickets: 0 });
});

test('the locks of one process: first come first served by type, released after a failure, with a timeout', async () => {
  const unlock = await pushLocks.acquirePushLocks(['accounts', 'tickets'], 1_000);
  await expect(pushLocks.acquirePushLocks(['contracts', 'tickets'], 50)).rejects.toThrow(WriteTimeout);
  const others = await pushLocks.acquirePushLocks(['contracts', 'settlements'], 50); // its locks were released
  const order: string[] = [];
  const waiting = ['first', 'second'].map(async (name) => {
    const unlockAgain = await pushLocks.acquirePushLocks(['tickets'], 1_000);
    order.push(name);
    unlockAgain();
  });
  unlock();
  others();
  await Promise.all(waiting);
  expect(order).toEqual(['first', 'second']);
});
