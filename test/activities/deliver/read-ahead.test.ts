import timers from 'node:timers/promises';
import type { Cursor } from '../../../activities/deliver/cursor';
import { createDeliverPages } from '../../../activities/deliver/deliver-pages';
import { PageBudget } from '../../../activities/deliver/page-budget';
import { readAhead } from '../../../activities/deliver/read-ahead';
import type { DeliverySlice } from '../../../activities/deliver/slice';
import { deliveryWorkflowId } from '../../../workflows/messages';
import { isPageRead, pageOf } from '../../commit-order/both-halves';
import { rewire } from '../../commit-order/rewire';
import { type Scene, withScene } from '../../commit-order/scene';
import { stopHere } from '../../commit-order/stop-here';
import { asActivity } from '../../setup/as-activity';
import { eventually } from '../../setup/eventually';
import type { ReceivedPage } from '../../setup/fake-customer';
import { openSharedScene } from '../../sharing/open-shared-scene';

const { setTimeout } = timers;

/** The store, and the pages that were read from it, each as its records' ids. */
function watched({ store }: Pick<Scene, 'store'>) {
  const pages: string[][] = [];
  const watching = rewire(store, async (call) => {
    const answer = await call.run();
    if (isPageRead(call)) pages.push(pageOf(answer).map(({ _id }) => _id.replace(/^42-/, '')));
    return answer;
  });
  return { store: watching, pages };
}

/** A customer who takes longer than a read begins after. */
const takesTime =
  (reply: (page: ReceivedPage) => number = () => 200) =>
  async (page: ReceivedPage) => {
    await setTimeout(60);
    return reply(page);
  };

/** The customer keeps one page, counted from 1, until it is told to answer. */
function holdPage({ customer }: Pick<Scene, 'customer'>, number: number, reply = 200) {
  const halt = stopHere();
  customer.script = async () => {
    if (customer.pages.length !== number) return 200;
    await halt.here();
    return reply;
  };
  return halt;
}

test('while the customer answers a page the next one is read, once; the first one is answered before', () =>
  withScene(1, async (scene) => {
    await scene.push('T1', 'T2', 'T3', 'T4');
    const { store, pages } = watched(scene);
    const first = holdPage(scene, 1);
    const run = scene.run(store);
    await first.reached;
    const second = holdPage(scene, 2);
    first.goOn();
    await second.reached;
    await eventually(() => expect(pages).toEqual([['T1'], ['T2'], ['T3']]));
    expect(scene.posted()).toEqual(['T1', 'T2']); // one page is in flight, and no more
    expect(await scene.position()).toBe(1);
    second.goOn();
    await run;
    expect(scene.posted()).toEqual(['T1', 'T2', 'T3', 'T4']);
    expect(pages).toEqual([['T1'], ['T2'], ['T3'], ['T4']]);
  }));

test('the marker moves when the read ahead has ended: their session is for one command at a time', () =>
  withScene(1, async (scene) => {
    await scene.push('T1', 'T2', 'T3');
    scene.customer.script = takesTime();
    const reading = stopHere();
    let reads = 0;
    const slow = rewire(scene.store, async (call) => {
      if (isPageRead(call) && ++reads === 3) await reading.here();
      return call.run();
    });
    const run = scene.run(slow);
    await reading.reached;
    await eventually(() => expect(scene.customer.pages.map(({ status }) => status)).toEqual([200, 200]));
    await setTimeout(50); // long enough for a move that does not wait
    const meanwhile = await scene.position();
    reading.goOn();
    await run;
    expect(meanwhile).toBe(1);
    expect(scene.posted()).toEqual(['T1', 'T2', 'T3']);
    expect(reads).toBe(3);
  }));

test('nothing is read ahead of a customer who answers within milliseconds', async () => {
  const slice = {
    input: { page_size: 1, first: true },
    tally: { last: '200 in 3 ms', pages: 1, started: Date.now() },
    process: { draining: () => false, budgets: { answering: new PageBudget(1_000_000) } },
  } as unknown as DeliverySlice;
  const read = jest.fn(async () => ({ records: [], end: 3 }));
  const cursor = { to: 3, progress: { records: 1, bytes: 1 }, reader: { read } } as unknown as Cursor;
  const answered = new AbortController();
  const reading = readAhead(slice, cursor, 2, answered.signal);
  await setTimeout(5); // the shorter of two waits ends first, however loaded the machine is
  answered.abort();
  await reading;
  expect(read).not.toHaveBeenCalled();
  await readAhead(slice, cursor, 2, new AbortController().signal);
  expect(read).toHaveBeenCalledTimes(1);
});

test('an answer ends the wait to read ahead, however long that would be', () =>
  withScene(1, async (scene) => {
    await scene.push('T1', 'T2', 'T3');
    const LONG_MS = 20_000;
    const waits = jest.spyOn(timers, 'setTimeout');
    waits.mockImplementation((ms, value, options) =>
      setTimeout(options?.signal ? LONG_MS : ms, value, options),
    );
    const began = Date.now();
    await scene.run();
    waits.mockRestore();
    expect(scene.posted()).toEqual(['T1', 'T2', 'T3']);
    expect(Date.now() - began).toBeLessThan(LONG_MS);
  }));

test('before a first page is confirmed nothing is read ahead', () =>
  withScene(1, async (scene) => {
    await scene.push('T1', 'T2');
    const { store, pages } = watched(scene);
    scene.customer.script = takesTime(() => 503);
    const [input] = await scene.plan();
    await scene.attempt(input!, store);
    expect(pages).toEqual([['T1']]);
  }));

test('a page that was read ahead is not posted where a reset has come, and what it held is given back', () =>
  withScene(1, async (scene) => {
    await scene.push('T1', 'T2', 'T3');
    const { store, pages } = watched(scene);
    const [input] = await scene.plan();
    const budgets = { answering: new PageBudget(1_000_000), unanswered: new PageBudget(1) };
    const deliverPages = createDeliverPages(
      { store, agent: scene.agent, retentionDays: 1, draining: () => false },
      budgets,
    );
    const held = holdPage(scene, 2);
    const id = deliveryWorkflowId(input!.channel, 'tickets', input!.run);
    const attempt = asActivity(id, deliverPages, input!);
    await held.reached;
    await eventually(() => expect(pages).toHaveLength(3));
    await scene.reset();
    held.goOn();
    expect((await attempt).end).toBe('superseded');
    expect(scene.posted()).toEqual(['T1', 'T2']);
    expect(budgets.answering.takeIfFree(1_000_000)).toBeDefined();
    await scene.run();
    expect(scene.posted()).toEqual(['T1', 'T2', 'T1', 'T2', 'T3']);
  }));

test('what a farmer stops sharing is dropped from a page that was read ahead', async () => {
  const scene = await openSharedScene(1);
  try {
    await scene.pushTickets({ T1: ['1001'], T2: ['1001'], T3: ['1002'], T4: ['1001'] });
    await scene.grantAll(['1001', '1002']);
    const { store, pages } = watched(scene);
    const held = holdPage(scene, 2);
    const run = scene.run(undefined, store);
    await held.reached;
    await eventually(() => expect(pages.flat()).toContain('T3'));
    await scene.revoke('1002');
    held.goOn();
    await run;
    expect(scene.posted()).not.toContain('T3');
  } finally {
    await scene.close();
  }
});

test('with pages of one record, what was compared with a refused record is not posted again from a page read ahead', () =>
  withScene(1, async (scene) => {
    await scene.push('T1', 'T2', 'T3', 'T4');
    scene.customer.script = takesTime(({ records }) => (records[0]?.remote_id === 'T2' ? 422 : 200));
    await scene.run();
    const accepted = scene.customer.pages.filter(({ status }) => status === 200);
    const ids = accepted.flatMap(({ records }) => records.map(({ remote_id }) => remote_id));
    expect(ids).toEqual(['T1', 'T3', 'T3', 'T4']); // T3 once to compare, and once for itself
  }));

test('a read ahead that fails is made again when its turn comes', () =>
  withScene(1, async (scene) => {
    await scene.push('T1', 'T2', 'T3');
    scene.customer.script = takesTime();
    let reads = 0;
    const failing = rewire(scene.store, (call) => {
      if (isPageRead(call) && ++reads === 3) return Promise.reject(new Error('the connection broke'));
      return call.run();
    });
    await scene.run(failing);
    expect(scene.posted()).toEqual(['T1', 'T2', 'T3']);
    expect(reads).toBe(4);
  }));

test('nothing is read ahead where others wait for room, nor where there is none', async () => {
  const budget = new PageBudget(100, 5_000);
  const lease = budget.takeIfFree(60)!;
  expect(budget.takeIfFree(41)).toBeUndefined();
  const waits = budget.run(50, async () => 'ran');
  expect(budget.takeIfFree(10)).toBeUndefined();
  lease.end();
  expect(await waits).toBe('ran');
  expect(budget.takeIfFree(100)).toBeDefined();
});

test('what the pages held is given back, read ahead or not, also where a read ahead has failed', () =>
  withScene(1, async (scene) => {
    await scene.push('T1', 'T2', 'T3', 'T4', 'T5');
    scene.customer.script = takesTime();
    let reads = 0;
    const failing = rewire(scene.store, (call) => {
      if (isPageRead(call) && ++reads === 3) return Promise.reject(new Error('the connection broke'));
      return call.run();
    });
    const [input] = await scene.plan();
    const budgets = { answering: new PageBudget(1_000_000), unanswered: new PageBudget(1) };
    const deps = { store: failing, agent: scene.agent, retentionDays: 1, draining: () => false };
    const id = deliveryWorkflowId(input!.channel, 'tickets', input!.run);
    expect(await asActivity(id, createDeliverPages(deps, budgets), input!)).toMatchObject({
      end: 'delivered',
    });
    expect(scene.posted()).toEqual(['T1', 'T2', 'T3', 'T4', 'T5']);
    expect(budgets.answering.takeIfFree(1_000_000)).toBeDefined();
  }));
