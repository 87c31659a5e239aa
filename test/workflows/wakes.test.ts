import {
  deliverNow,
  markerReset,
  settingsChanged,
  subscriptionsChanged,
  type Trigger,
} from '../../workflows/messages';
import { eventually } from '../setup/eventually';
import { ALL, TestFeed } from './test-feed';

let feed: TestFeed;
beforeAll(async () => {
  feed = await TestFeed.start();
});
afterAll(() => feed.stop());

const reset = { entity_type: 'accounts', timestamp: '2026-01-01T00:00:00.000Z', request_id: 'test' } as const;

const WAKES: [Trigger, (slug: string) => Promise<void>][] = [
  ['reset', (slug) => feed.ring(slug, markerReset, reset)],
  ['deliver-now', (slug) => feed.ring(slug, deliverNow, { request_id: 'test' })],
  ['settings', (slug) => feed.ring(slug, settingsChanged, { reason: 'test' })],
  ['subscriptions', (slug) => feed.ring(slug, subscriptionsChanged, { request_id: 'test' })],
];

test.each(WAKES)('a waiting channel answers the bell "%s" within seconds', async (trigger, ring) => {
  const slug = `wake-${trigger}`;
  const customer = await feed.addChannel(slug);
  await feed.worker.bell.ensureRunning(slug, 24 * 3_600_000);
  await feed.push(slug, ['accounts'], 1);
  const rung = Date.now();
  await ring(slug);
  const report = await feed.closed(slug, 'accounts', 1);
  expect(report).toMatchObject({ status: 'delivered', trigger });
  expect(customer.pages[0]!.at - rung).toBeLessThan(20_000);
});

test('a bell for a channel without a workflow starts it', async () => {
  const customer = await feed.addChannel('wake-missing');
  await feed.push('wake-missing', ['accounts'], 1);
  await feed.ring('wake-missing', markerReset, reset);
  await feed.closed('wake-missing', 'accounts', 1);
  expect(feed.held(customer, 'accounts')).toEqual([1]);
});

test('a bell during a run makes every waiting delivery try at once, and the channel plans anew afterwards', async () => {
  const slug = 'wake-in-run';
  const busy = { status: 503, headers: { 'retry-after': '600' } };
  const customer = await feed.addChannel(slug, {}, () => busy);
  await feed.push(slug, ALL, 1);
  await feed.deliverNow(slug);
  await eventually(() => expect(customer.pages.map(({ entityType }) => entityType)).toEqual(ALL));
  await feed.push(slug, ['tickets'], 1, 2); // above the ceiling of the run under way
  customer.script = () => 200;
  await feed.deliverNow(slug);
  const [, , tickets] = await Promise.all(ALL.map((type) => feed.closed(slug, type, 1)));
  expect(tickets).toMatchObject({ status: 'delivered', records: 1 });
  await feed.closed(slug, 'tickets', 2);
  expect(feed.held(customer, 'tickets')).toEqual([1, 2]);
});
