import {
  deliverNowSignal,
  markerResetSignal,
  settingsChangedSignal,
  subscriptionsChangedSignal,
} from '../../workflows/messages';
import type { Trigger } from '../../domain/deliveries/delivery';
import { eventually } from '../setup/eventually';
import { ALL, TestFeed } from './test-feed';

let feed: TestFeed;
beforeAll(async () => {
  feed = await TestFeed.start();
});

const timestamp = '2026-01-01T00:00:00.000Z';
const reset = { entity_types: ['accounts' as const], timestamp, request_id: 'test' };

const WAKES: [Trigger, (slug: string) => Promise<void>][] = [
  ['reset', (slug) => feed.signal(slug, markerResetSignal, reset)],
  ['deliver-now', (slug) => feed.signal(slug, deliverNowSignal, { request_id: 'test' })],
  ['settings', (slug) => feed.signal(slug, settingsChangedSignal, { reason: 'test' })],
  ['subscriptions', (slug) => feed.signal(slug, subscriptionsChangedSignal, { request_id: 'test' })],
];

test.each(WAKES)('a waiting channel answers the signal "%s" at once', async (trigger, send) => {
  const slug = `wake-${trigger}`;
  const customer = await feed.addChannel(slug);
  await feed.ensureRunning(slug, 24 * 3_600_000);
  await feed.push(slug, ['accounts'], 1);
  await send(slug);
  const report = await feed.closed(slug, 'accounts', 1);
  expect(report).toMatchObject({ status: 'delivered', trigger });
  expect(feed.held(customer, 'accounts')).toEqual([1]);
});

test('a signal for a channel without a workflow starts it', async () => {
  const customer = await feed.addChannel('wake-missing');
  await feed.push('wake-missing', ['accounts'], 1);
  await feed.signal('wake-missing', markerResetSignal, reset);
  await feed.closed('wake-missing', 'accounts', 1);
  expect(feed.held(customer, 'accounts')).toEqual([1]);
});

test('a signal during a run makes every waiting delivery try at once, and the channel plans anew afterwards', async () => {
  const slug = 'wake-in-run';
  const busy = { status: 503, headers: { 'retry-after': '600' } };
  const customer = await feed.addChannel(slug, {}, () => busy);
  await feed.push(slug, ALL, 1);
  await feed.deliverNow(slug);
  await eventually(() =>
    expect(new Set(customer.pages.map(({ entityType }) => entityType))).toEqual(new Set(ALL)),
  );
  await feed.push(slug, ['tickets'], 1, 2); // above the ceiling of the run under way
  customer.script = () => 200;
  await feed.deliverNow(slug);
  const [, , tickets] = await Promise.all(ALL.map((type) => feed.closed(slug, type, 1)));
  expect(tickets).toMatchObject({ status: 'delivered', records: 1 });
  await feed.closed(slug, 'tickets', 2);
  expect(feed.held(customer, 'tickets')).toEqual([1, 2]);
});
