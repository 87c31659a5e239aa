import { listSetAside } from '../../store/feed/set-aside';
import { eventually } from '../setup/eventually';
import type { ReceivedPage, Reply } from '../setup/fake-customer';
import { TestFeed } from './test-feed';

let feed: TestFeed;
beforeAll(async () => {
  feed = await TestFeed.start();
});
afterAll(() => feed.stop());

const asideOf = async (slug: string) => (await listSetAside(feed.store, slug)).map(({ record }) => record);

test('a record that makes the receiver stumble is found after two deliveries; the rest is delivered', async () => {
  const stumbles = ({ records, entityType }: ReceivedPage): Reply =>
    entityType === 'tickets' && records.some(({ remote_id }) => remote_id === '7') ? 500 : 200;
  const slug = 'stumbles';
  // the shortest retry budget: 30 s a delivery
  const customer = await feed.addChannel(slug, { cadence_ms: 1_000, page_size: 10 }, stumbles);
  await feed.push(slug, ['accounts', 'tickets'], 20);
  await feed.deliverNow(slug);
  const first = await feed.closed(slug, 'tickets', 1);
  expect(first).toMatchObject({ status: 'failed', failure: 'unavailable', records: 0 });
  await feed.push(slug, ['accounts'], 1, 21); // meanwhile another page is confirmed
  await eventually(() => expect(feed.held(customer, 'tickets')).toHaveLength(19), 120_000);
  expect(await asideOf(slug)).toEqual([expect.stringMatching(/-7$/)]);
  expect(feed.held(customer, 'tickets')).not.toContain(7);
  await eventually(async () => {
    const tickets = { channel: slug, entity_type: 'tickets' };
    const reports = await feed.store.db.collection('deliveries').find(tickets).toArray();
    const byStart = reports.sort((one, other) => Number(one['started_at']) - Number(other['started_at']));
    expect(byStart.map(({ status }) => status as string)).toEqual(['failed', 'failed', 'delivered']);
  });
});
