import { setTimeout } from 'node:timers/promises';
import { createDeliverPages } from '../../../activities/deliver/deliver-pages';
import type { Cursor } from '../../../activities/deliver/cursor';
import { NO_ROOM, PageBudget } from '../../../activities/deliver/page-budget';
import { expectedBytes } from '../../../activities/deliver/read-ahead';
import type { DeliverySlice } from '../../../activities/deliver/slice';
import { deliveryWorkflowId } from '../../../workflows/messages';
import { type Scene, withScene } from '../../commit-order/scene';
import { asActivity } from '../../setup/as-activity';
import { eventually } from '../../setup/eventually';
import { pushRecords } from '../../setup/push-records';

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
  const deliverPages = createDeliverPages({ store, agent, retentionDays: 1, draining: () => false }, budgets);
  let calls = 0;
  return async (scene: Scene, unanswered = false) => {
    const [input] = await scene.plan();
    const { channel, entity_type, run } = input!;
    const id = `${++calls} ${deliveryWorkflowId(channel, entity_type, run)}`;
    return asActivity(id, deliverPages, { ...input!, unanswered });
  };
}

const pushLarge = ({ store }: Scene, count: number) =>
  pushRecords(store, {
    tickets: Array.from({ length: count }, (_, index) => ({
      id: `T${index}`,
      account_id: '1001',
      note: 'x'.repeat(NOTE_BYTES),
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

test('pages that are held up leave no room for others, who take another turn; customers that did not answer have a part of their own', () =>
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
  }));

test('a share is given back whatever comes of the page', async () => {
  const budget = new PageBudget(100, WAIT_MS);
  const failing = budget.run(60, async (lease) => {
    expect(lease.growTo(100)).toBe(true);
    expect(lease.growTo(101)).toBe(false);
    lease.shrinkTo(40);
    throw new Error('the page failed');
  });
  await expect(failing).rejects.toThrow('the page failed');
  expect(await budget.run(1_000, async () => 'a page larger than all goes alone')).toMatch(/alone/);
});

test('those who wait are let in in order, as much as there is room for', async () => {
  const budget = new PageBudget(100, 5_000);
  const began: string[] = [];
  const ends: (() => void)[] = [];
  const page = (name: string, bytes: number) =>
    budget.run(bytes, () => {
      began.push(name);
      return new Promise<void>((done) => ends.push(done));
    });
  const all = [page('a', 70), page('b', 50), page('c', 20), page('d', 20)];
  await setTimeout(50);
  expect(began).toEqual(['a']); // c and d would fit, and do not overtake b
  ends[0]!();
  await eventually(() => expect(began).toEqual(['a', 'b', 'c', 'd']));
  ends.forEach((end) => end());
  await Promise.all(all);
});

test('a page that waited in vain has no share when room comes, nor afterwards', async () => {
  const budget = new PageBudget(100, 20);
  let end = () => {};
  const holder = budget.run(100, () => new Promise<void>((done) => (end = done)));
  expect(await budget.run(60, async () => 'ran')).toBe(NO_ROOM);
  end();
  await holder;
  expect(await budget.run(100, async () => 'ran')).toBe('ran');
});

test('a share of gigabytes costs no more than one of bytes', async () => {
  const budget = new PageBudget(64 * 2 ** 30);
  const began = performance.now();
  for (let page = 0; page < 1_000; page++) await budget.run(2 ** 30, async (lease) => lease.shrinkTo(10));
  expect(performance.now() - began).toBeLessThan(1_000);
});

test('where a large page gives up, a smaller one behind it is let in at once', async () => {
  const budget = new PageBudget(100, 200);
  const held = budget.takeIfFree(70)!;
  const large = budget.run(50, async () => 'ran');
  await setTimeout(100);
  const small = budget.run(30, async () => 'ran');
  expect([await large, await small]).toEqual([NO_ROOM, 'ran']);
  held.end();
});

test('of large records a page is expected to end where every page does, beside the pages of others', async () => {
  const cursor = { progress: { records: 100, bytes: 16e6 } } as Cursor;
  const expected = expectedBytes({ input: { page_size: 1_000 } } as DeliverySlice, cursor);
  const budget = new PageBudget(96 * MB, WAIT_MS);
  budget.takeIfFree(MB);
  expect(await budget.run(expected, async () => 'beside')).toBe('beside');
});
