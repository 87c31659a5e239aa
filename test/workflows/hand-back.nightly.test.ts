import { findChannel } from '../../store/channels/channels';
import { readCeiling } from '../../store/records/counters';
import { resetChannelMarker } from '../../store/markers/reset-channel-marker';
import { channelWorkflowId, markerResetSignal } from '../../workflows/messages';
import { eventually } from '../setup/eventually';
import { eventsOf, runsOf } from './read-history';
import { TestFeed } from './test-feed';

// Signals sent as fast as Temporal accepts them, without merging. GDX_CASES=1000 sends more.
const SIGNALS = Number(process.env['GDX_CASES'] ?? 300);
const AT_ONCE = 5;
const SINCE = new Date('2026-01-01T00:00:00Z');

let feed: TestFeed;
beforeAll(async () => {
  feed = await TestFeed.start();
});

test('every reset is honoured, and no history grows without bound, while a delivery of the channel stays open', async () => {
  const slug = 'open-for-ever';
  const customer = await feed.addChannel(slug, {}, ({ entityType }) =>
    entityType === 'accounts' ? 503 : 200,
  );
  await feed.push(slug, ['accounts', 'tickets'], 2);
  await feed.deliverNow(slug);
  await feed.closed(slug, 'tickets', 1);
  const ceiling = await readCeiling(feed.store, 'tickets');
  const channel = (await findChannel(feed.store, slug))!;
  const handle = feed.handle(slug);
  const timestamp = SINCE.toISOString();
  const asked = { entity_types: ['tickets' as const], timestamp, request_id: 'test' };
  for (let sent = 0; sent < SIGNALS; sent += AT_ONCE) {
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        await resetChannelMarker(feed.store, channel, 'tickets', SINCE);
        await handle.signal(markerResetSignal, asked);
      }),
    );
    const marker = await eventually(async () => {
      const now = await feed.marker(slug, 'tickets');
      expect(now.position).toBe(ceiling);
      return now;
    });
    expect(marker.generation).toBe(sent + AT_ONCE);
  }
  const runs = await runsOf(feed.client, channelWorkflowId(slug));
  // accounts never ended: each of these runs was ended by handing its delivery back
  expect(runs.length).toBeGreaterThan(1);
  expect(Math.max(...runs.map(({ events }) => events.length))).toBeLessThan(2_000);
  expect(
    runs.flatMap((run) => eventsOf(run, 'EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED')).length,
  ).toBeGreaterThan(SIGNALS);
  const { status, failure_message: handedBack } = await feed.report(slug, 'accounts', 1);
  expect([status, handedBack]).toEqual([
    'superseded',
    expect.stringContaining('goes on where this one ended'),
  ]);
  customer.script = () => 200;
  await feed.deliverNow(slug);
  await eventually(() => expect(feed.held(customer, 'accounts')).toEqual([1, 2]));
}, 900_000);
