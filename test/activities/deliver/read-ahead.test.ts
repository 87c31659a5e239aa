import timers from 'node:timers/promises';
import type { Cursor } from '../../../activities/deliver/cursor';
import { createDeliverPages } from '../../../activities/deliver/deliver-pages';
import { MAX_PAGES_PER_HOST } from '../../../outbound/host-limiter';
import { PageBudget } from '../../../outbound/page-budget';
import { expectedBytes, readAhead } from '../../../activities/deliver/read-ahead';
import type { DeliverySlice } from '../../../activities/deliver/slice';
import { deliveryWorkflowId } from '../../../workflows/messages';
import { isPageRead, pageOf } from '../../commit-order/both-halves';
import { rewire } from '../../commit-order/rewire';
import { type Scene, withScene } from '../../commit-order/scene';
import { stopHere } from '../../commit-order/stop-here';
import { asActivity } from '../../setup/as-activity';
import type { ReceivedPage } from '../../setup/fake-customer';
import { eventually } from '../../setup/eventually';
import { pushRecords } from '../../setup/push-records';
import { openSharedScene } from '../../sharing/open-shared-scene';
import { slowTest } from '../../setup/cases';

describe('read-ahead', () => {
  const { setTimeout } = timers;
  const LONG_MS = 600_000;
  /** How long a read ahead waits for the answer: not at all, unless the test says otherwise. */
  let waitMs: number;
  const waited: number[] = [];

  beforeEach(() => {
    waitMs = 0;
    waited.length = 0;
    jest.spyOn(timers, 'setTimeout').mockImplementation(async (ms, value, options) => {
      if (!options?.signal) return setTimeout(ms, value, options);
      waited.push(ms!);
      return waitMs === 0 ? value! : setTimeout(waitMs, value, options);
    });
  });
  afterEach(() => jest.restoreAllMocks());

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

  slowTest(
    'while the customer answers a page the next one is read, once; the first one is answered before',
    () =>
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
      }),
  );

  test('the marker moves when the read ahead has ended: their session is for one command at a time', () =>
    withScene(1, async (scene) => {
      await scene.push('T1', 'T2', 'T3');
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
    waitMs = LONG_MS;
    const reading = readAhead(slice, cursor, 2, answered.signal);
    answered.abort();
    await reading;
    expect([waited, read.mock.calls]).toEqual([[20], []]);
    waitMs = 0;
    await readAhead(slice, cursor, 2, new AbortController().signal);
    expect(read).toHaveBeenCalledTimes(1);
  });

  test('an answer ends the wait to read ahead, however long that would be', () =>
    withScene(1, async (scene) => {
      await scene.push('T1', 'T2', 'T3');
      waitMs = LONG_MS;
      await scene.run();
      expect([scene.posted(), waited.length]).toEqual([['T1', 'T2', 'T3'], 1]);
    }));

  test('before a first page is confirmed nothing is read ahead', () =>
    withScene(1, async (scene) => {
      await scene.push('T1', 'T2');
      const { store, pages } = watched(scene);
      scene.customer.script = () => 503;
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

  slowTest('what a farmer stops sharing is dropped from a page that was read ahead', async () => {
    const scene = await openSharedScene(1);
    await scene.pushTickets({ T1: ['1001'], T2: ['1001'], T3: ['1002'], T4: ['1001'] });
    await scene.grantAll(['1001', '1002']);
    const { store, pages } = watched(scene);
    const held = holdPage(scene, 2);
    const run = scene.run(store);
    await held.reached;
    await eventually(() => expect(pages.flat()).toContain('T3'));
    await scene.revoke('1002');
    held.goOn();
    await run;
    expect(scene.posted()).not.toContain('T3');
  });

  test('with pages of one record, a refused one is compared with the one before it, and no page goes out as it was before the search', () =>
    withScene(1, async (scene) => {
      await scene.push('T1', 'T2', 'T3', 'T4');
      scene.customer.script = async ({ records }) => {
        if (records[0]?.remote_id !== 'T2') return 200;
        if (scene.posted().length === 4) await scene.push('T3'); // which was read while T2 was in flight
        return 422;
      };
      await scene.run();
      const accepted = scene.customer.pages.filter(({ status }) => status === 200);
      const ids = accepted.flatMap(({ records }) => records.map(({ remote_id }) => remote_id));
      expect(ids).toEqual(['T1', 'T1', 'T4']);
    }));

  test('a read ahead that fails is made again when its turn comes', () =>
    withScene(1, async (scene) => {
      await scene.push('T1', 'T2', 'T3');
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
    const waits = budget.take(50);
    expect(budget.takeIfFree(10)).toBeUndefined();
    lease.end();
    (await waits)!.end();
    expect(budget.takeIfFree(100)).toBeDefined();
  });

  test('the bytes and slots of pages are given back, read ahead or not, also where a read ahead has failed', () =>
    withScene(1, async (scene) => {
      const ids = Array.from({ length: MAX_PAGES_PER_HOST + 1 }, (_, index) => `T${index}`);
      await scene.push(...ids);
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
      expect(scene.posted()).toEqual(ids);
      expect(budgets.answering.takeIfFree(1_000_000)).toBeDefined();
    }));
});

describe('page-budget', () => {
  const NOTE_BYTES = 2_000;

  // Of three such records, or of the expected size of a first page of ten.
  const LIMIT = 10_240;
  const WAIT_MS = 300;
  const MB = 1024 * 1024;

  /** The activity of a process whose budgets are small. */
  function createSmall({ store, agent }: Scene) {
    const budgets = {
      answering: new PageBudget(LIMIT, WAIT_MS),
      unanswered: new PageBudget(LIMIT, WAIT_MS),
    };
    const deliverPages = createDeliverPages(
      { store, agent, retentionDays: 1, draining: () => false },
      budgets,
    );
    let calls = 0;
    return async (scene: Scene, unanswered = false, afterPlan: () => Promise<unknown> = async () => {}) => {
      const [input] = await scene.plan();
      await afterPlan();
      const { channel, entity_type, run } = input!;
      const id = `${++calls} ${deliveryWorkflowId(channel, entity_type, run)}`;
      return asActivity(id, deliverPages, { ...input!, unanswered });
    };
  }

  const pushLarge = ({ store }: Scene, count: number, { from = 0, letter = 'x', bytes = NOTE_BYTES } = {}) =>
    pushRecords(store, {
      tickets: Array.from({ length: count }, (_, index) => ({
        id: `T${from + index}`,
        account_id: '1001',
        note: letter.repeat(bytes),
      })),
    });

  test('a page ends where the budget is full, and nothing is lost or late', () =>
    withScene(10, async (scene) => {
      await pushLarge(scene, 20);
      const deliver = createSmall(scene);
      expect((await deliver(scene)).end).toBe('delivered');
      expect(scene.posted()).toEqual(Array.from({ length: 20 }, (_, index) => `T${index}`));
      const sizes = scene.customer.pages.map(({ body }) => body.length);
      expect(Math.max(...sizes)).toBeLessThan(LIMIT + 1_000); // and the page's own few bytes
      expect(sizes.length).toBeLessThanOrEqual(7);
    }));

  test('so does one that is filled from beyond its window', () =>
    withScene(10, async (scene) => {
      await pushLarge(scene, 6);
      const deliver = createSmall(scene);
      await deliver(scene, false, async () => {
        await pushLarge(scene, 4, { from: 2, letter: 'y' });
        await scene.store.db.collection('markers').updateMany({}, { $set: { short: true } });
      });
      const [{ records, body }] = scene.customer.pages as [ReceivedPage];
      expect(records.length).toBeGreaterThan(2); // some from beyond
      expect(body.length).toBeLessThan(LIMIT + 1_000);
      await scene.run();
      expect(scene.posted()).toEqual(['T0', 'T1', 'T2', 'T3', 'T4', 'T5']);
    }));

  test('a record that changes all the time is sent however large it is', () =>
    withScene(10, async (scene) => {
      await pushLarge(scene, 1, { bytes: LIMIT });
      await createSmall(scene)(scene, false, () => pushLarge(scene, 1, { letter: 'y', bytes: LIMIT }));
      expect(scene.posted()).toEqual(['T0']);
    }));

  slowTest(
    'pages that are held up leave no room for others, who take another turn; customers that did not answer have a part of their own',
    () =>
      withScene(10, async (scene) => {
        await pushLarge(scene, 3);
        let answer = () => {};
        const answered = new Promise<void>((done) => (answer = done));
        scene.customer.script = () => answered.then(() => 200);
        scene.customer.severalSenders = true; // two slices at one marker
        const deliver = createSmall(scene);
        const held = deliver(scene);
        await eventually(() => expect(scene.customer.pages).toHaveLength(1));
        expect((await deliver(scene)).end).toBe('more');
        expect(scene.customer.pages).toHaveLength(1);
        const apart = deliver(scene, true);
        await eventually(() => expect(scene.customer.pages).toHaveLength(2));
        answer();
        // Both had the same marker: the later epoch wins.
        expect([(await held).end, (await apart).end].sort()).toEqual(['delivered', 'superseded']);
        expect(await scene.plan()).toEqual([]);
      }),
  );

  test('a share grows and shrinks, and is given back as it is then', async () => {
    const budget = new PageBudget(100, WAIT_MS);
    const lease = (await budget.take(60))!;
    expect(lease.growTo(100)).toBe(true);
    expect(lease.growTo(101)).toBe(false);
    lease.shrinkTo(40);
    expect(budget.takeIfFree(61)).toBeUndefined();
    lease.end();
    expect(budget.takeIfFree(1_000)).toBeDefined(); // a page larger than all goes alone
    expect(budget.takeIfFree(1)).toBeUndefined();
  });

  test('those who wait are let in in order, as much as there is room for', async () => {
    const budget = new PageBudget(100, 5_000);
    const began: string[] = [];
    const page = async (name: string, bytes: number) => {
      const lease = (await budget.take(bytes))!;
      began.push(name);
      return lease;
    };
    const first = page('a', 70);
    const others = [page('b', 50), page('c', 20), page('d', 20)];
    await new Promise(setImmediate);
    expect(began).toEqual(['a']); // c and d would fit, and do not overtake b
    (await first).end();
    await Promise.all(others);
    expect(began).toEqual(['a', 'b', 'c', 'd']);
  });

  test('a page that waited in vain has no share when room comes, nor afterwards', async () => {
    const budget = new PageBudget(100, 20);
    const held = (await budget.take(100))!;
    expect(await budget.take(60)).toBeUndefined();
    held.end();
    expect(await budget.take(100)).toBeDefined();
  });

  test('a share of gigabytes costs no more than one of bytes', async () => {
    const budget = new PageBudget(64 * 2 ** 30);
    const before = process.cpuUsage();
    for (let page = 0; page < 10; page++) (await budget.take(2 ** 30))!.shrinkTo(10);
    expect(process.cpuUsage(before).user).toBeLessThan(5e6); // a step a byte would take many times as much
  });

  test('where a large page gives up, a smaller one behind it is let in at once', async () => {
    jest.useFakeTimers();
    const budget = new PageBudget(100, 200);
    const held = budget.takeIfFree(70)!;
    const large = budget.take(50);
    jest.advanceTimersByTime(100);
    const small = budget.take(30);
    jest.advanceTimersByTime(100);
    jest.useRealTimers();
    expect([await large, await small]).toEqual([undefined, expect.anything()]);
    held.end();
  });

  test('of large records a page is expected to end where every page does, beside the pages of others', async () => {
    const cursor = { progress: { records: 100, bytes: 16e6 } } as Cursor;
    const expected = expectedBytes({ input: { page_size: 1_000 } } as DeliverySlice, cursor);
    const budget = new PageBudget(96 * MB, WAIT_MS);
    budget.takeIfFree(MB);
    expect(await budget.take(expected)).toBeDefined();
  });
});
