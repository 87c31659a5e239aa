import { CUSTOMER_LIMITS } from '../../outbound/create-agent';
import { MAX_PAGES_PER_HOST } from '../../outbound/host-limiter';
import { listChannels } from '../../store/channels/channels';
import type { DeliveryDocument } from '../../store/deliveries/deliveries';
import { eventually } from '../setup/eventually';
import { TestFeed } from '../workflows/test-feed';

test('channels of one host that hangs hold no more places than that, and one of another host is served', async () => {
  const feed = await TestFeed.start();
  const only = { entity_types: ['accounts' as const] };
  const hanging = await feed.addChannel('hanging', only, () => new Promise<never>(() => {}));
  for (let more = 1; more < MAX_PAGES_PER_HOST + 3; more++) {
    await feed.addChannel(`hanging-${more}`, only);
    await feed.changeChannel(`hanging-${more}`, { base_url: hanging.baseUrl });
  }
  for (const slug of (await listChannels(feed.store)).map(({ _id }) => _id)) {
    await feed.push(slug, ['accounts'], 1);
    await feed.deliverNow(slug);
  }
  await eventually(() => expect(hanging.pages.length).toBeGreaterThanOrEqual(MAX_PAGES_PER_HOST));
  const other = await feed.addChannel('other', only);
  await feed.push('other', ['accounts'], 1);
  await feed.deliverNow('other');
  await feed.closed('other', 'accounts', 1);
  expect(feed.held(other, 'accounts')).toEqual([1]);
  // Those that get no slot in time fail, and are retried later.
  await eventually(async () => {
    const reports = await feed.store.db.collection<DeliveryDocument>('deliveries').find({}).toArray();
    const reasons = reports.flatMap(({ failed_attempts }) => failed_attempts.map(({ reason }) => reason));
    expect(reasons).toContainEqual(expect.stringContaining('in flight to its host'));
  });
  const first = hanging.pages[0]!.at;
  const atOnce = hanging.pages.filter(({ at }) => at - first < CUSTOMER_LIMITS.requestMs - 1_000);
  expect(atOnce).toHaveLength(MAX_PAGES_PER_HOST);
});
