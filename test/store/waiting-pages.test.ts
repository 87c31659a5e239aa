import { MongoServerError } from 'mongodb';
import { findChannel } from '../../store/feed/channels';
import { markerId } from '../../store/feed/markers';
import {
  askForPage,
  clearPage,
  confirmWaitingPage,
  layPage,
  noteNothing,
  readAsks,
  readWaitingPage,
  withdrawPage,
} from '../../store/feed/waiting-pages';
import type { Store } from '../../store/store';
import { DUPLICATE_KEY } from '../../store/unavailable';
import { rewire } from '../commit-order/rewire';
import { addTestChannel } from '../setup/add-test-channel';
import { emptyStore } from '../setup/open-store';
import { slowTest } from '../setup/cases';

// With a worker beside it: test/activities/deliver/hand-over.test.ts.

const ID = markerId('acme', 'tickets');
const KEPT = 50;

let store: Store;
beforeEach(async () => {
  store = await emptyStore();
  for (const slug of ['acme', 'bison']) await addTestChannel(store, slug, '', { delivery: 'pull' });
  await ask();
});

const ask = async (slug = 'acme', through = store) =>
  askForPage(through, (await findChannel(store, slug))!, 'tickets');
const waiting = () => readWaitingPage(store, 'acme', 'tickets');
const lay = (page: string, passed?: string) => {
  const until = new Date(Date.now() + 60_000);
  return layPage(store, ID, { page, headers: {}, body: Buffer.from('{}'), until, shares_version: 0 }, passed);
};

test('two first questions at once both count', async () => {
  let first: Promise<unknown> | undefined;
  // The server lets one of two inserts fail.
  const second = rewire(store, async ({ collection, run }) => {
    if (collection !== 'waiting_pages' || first) return run();
    first = ask('bison');
    await first;
    throw new MongoServerError({ message: 'duplicate key', code: DUPLICATE_KEY });
  });
  expect(await ask('bison', second)).toMatchObject({ channel: 'bison', asks: 2 });
});

slowTest('the last fifty pages can be confirmed again, by their own customer', async () => {
  for (let page = 0; page < KEPT; page += 1) await lay(`msg_${page + 1}`, `msg_${page}`);
  await clearPage(store, ID, `msg_${KEPT}`);
  const confirmed = (page: number, slug = 'acme') => confirmWaitingPage(store, slug, `msg_${page}`);
  expect(await Promise.all([0, 1, KEPT].map((page) => confirmed(page)))).toEqual([
    null,
    'tickets',
    'tickets',
  ]);
  await ask('bison');
  expect(await confirmed(KEPT, 'bison')).toBeNull();
});

test('who is late to say that a page is passed leaves the next one where it is', async () => {
  await lay('msg_1');
  await lay('msg_2', 'msg_1');
  await clearPage(store, ID, 'msg_1');
  expect(await waiting()).toMatchObject({ page: 'msg_2', passed: ['msg_1'] });
  await clearPage(store, ID, 'msg_2');
  expect(await waiting()).not.toHaveProperty('page');
  expect(await waiting()).toMatchObject({ passed: ['msg_1', 'msg_2'] });
});

test('who is late to withdraw a page leaves the next one where it is', async () => {
  await lay('msg_1');
  await lay('msg_2', 'msg_1');
  await withdrawPage(store, ID, 'msg_1', 1);
  expect(await waiting()).toMatchObject({ page: 'msg_2', body: expect.anything() });
  await withdrawPage(store, ID, 'msg_2', 1);
  expect(await waiting()).not.toHaveProperty('body');
});

test('a plan answers the questions of its own channel', async () => {
  for (let times = 0; times < 3; times += 1) await ask('bison');
  expect(await readAsks(store, 'acme')).toEqual(new Map([['tickets', 1]]));
  expect(await readAsks(store, 'bison')).toEqual(new Map([['tickets', 3]]));
});

test('that there was nothing once is no answer to questions that are counted anew', async () => {
  await noteNothing(store, 'acme', 'tickets', 7); // of before it was swept
  expect(await waiting()).not.toHaveProperty('nothing');
  await noteNothing(store, 'acme', 'tickets', 1);
  expect(await waiting()).toMatchObject({ asks: 1, nothing: 1 });
});
