import { setTimeout } from 'node:timers/promises';
import { PushQueue } from '../../store/push/push-queue';
import { takePositions } from '../../store/records/counters';
import type { Store } from '../../store/store';
import { rewire } from '../commit-order/rewire';
import { eventually } from '../setup/eventually';
import { emptyStore } from '../setup/open-store';
import { pushRecords } from '../setup/push-records';

let store: Store;
beforeEach(async () => {
  store = await emptyStore();
});

/** A process that another one was in the way of. */
function busy(of = store): PushQueue {
  const queue = new PushQueue(of, 'tickets');
  queue.triedInVain();
  return queue;
}

const waiting = async () =>
  (await store.db.collection<{ _id: string; waiting: string[] }>('push_queues').findOne())?.waiting ?? [];

/** Waits until so many stand in the queue. */
async function untilWaiting(count: number): Promise<void> {
  while ((await waiting()).length !== count) await setTimeout(5);
}

test('processes come to their turns in the order in which they have joined', async () => {
  const order: number[] = [];
  const turns = [];
  for (const place of [0, 1, 2, 3]) {
    const queue = busy();
    turns.push(queue.waitForTurn().then(() => (order.push(place), queue)));
    await untilWaiting(place + 1);
  }
  for (const turn of turns) {
    const queue = await turn;
    await setTimeout(30); // long enough for whoever would go with it
    expect(order).toEqual([...order.keys()]);
    expect(order).toHaveLength(turns.indexOf(turn) + 1);
    queue.leave();
  }
  await untilWaiting(0);
});

test('a process that died in the queue holds up the next one for about a second', async () => {
  await busy().waitForTurn(); // and never leaves
  const began = performance.now();
  await busy().waitForTurn();
  const took = performance.now() - began;
  expect([took > 1_000, took < 3_000]).toEqual([true, true]);
  expect(await store.db.collection('push_queues').findOne()).not.toHaveProperty('beats'); // nobody says for it that it lives
  expect(await waiting()).toHaveLength(1);
});

test('a process that waits in front behind a long transaction keeps its place', async () => {
  const [first, second] = [busy(), busy()];
  await first.waitForTurn();
  let isNext = false;
  const next = second.waitForTurn().then(() => (isNext = true));
  for (let tries = 0; tries < 15; tries++) {
    await setTimeout(100);
    first.triedInVain(); // as each try in vain says
  }
  expect(isNext).toBe(false);
  first.leave();
  await next;
  second.leave();
});

test('a queue that fails holds up nobody', async () => {
  const failing = rewire(store, ({ collection, run }) => {
    if (collection === 'push_queues') throw new Error('not now');
    return run();
  });
  const queue = busy(failing);
  await queue.waitForTurn();
  queue.leave();
  expect(await waiting()).toEqual([]);
});

test('a push that nobody is in the way of asks no queue; one behind another process waits in it, until the counter is taken', async () => {
  const calls: string[] = [];
  let onTry = async (): Promise<void> => {};
  const watched = rewire(store, async ({ collection, method, run }) => {
    if (collection === 'counters' && method === 'findOneAndUpdate') await onTry();
    if (['push_queues', 'counters', 'tickets'].includes(collection)) calls.push(`${collection} ${method}`);
    return run();
  });
  const push = () =>
    pushRecords(watched, { tickets: [{ id: 'T1', account_id: '1001', note: String(calls.length) }] });
  await push();
  expect(calls.filter((call) => call.startsWith('push_queues'))).toEqual([]);

  const holder = store.client.startSession();
  holder.startTransaction();
  await takePositions(store, 'tickets', 1, holder);
  let tries = 0;
  onTry = async () => void (++tries === 3 && (await holder.commitTransaction()));
  await push();
  await holder.endSession();
  calls.length = 0;
  await push();
  const written = calls.findIndex((call) => call.startsWith('tickets') && !call.includes('find'));
  const joined = calls.indexOf('push_queues command');
  const took = calls.indexOf('counters findOneAndUpdate');
  const left = calls.indexOf('push_queues command', joined + 1);
  expect([joined < took, took < left, left < written]).toEqual([true, true, true]);
  await eventually(async () => expect(await waiting()).toEqual([])); // nobody waits for that
});
