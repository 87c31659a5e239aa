import { listSetAside, releaseSetAside } from '../../store/deliveries/set-aside';
import { deliveryWorkflowId } from '../../workflows/messages';
import { eventually } from '../setup/eventually';
import type { ReceivedPage, Reply } from '../setup/fake-customer';
import { inputOf, runsOf } from './read-history';
import { refusing, upTo } from './refusing';
import { TestFeed } from './test-feed';
import { nightlyTest } from '../setup/cases';

let feed: TestFeed;
beforeAll(async () => {
  feed = await TestFeed.start();
});

const asideOf = async (slug: string) => (await listSetAside(feed.store, slug)).map(({ record }) => record);

nightlyTest(
  'a record that makes the receiver stumble is found after two deliveries; the rest is delivered',
  async () => {
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
  },
);

test('a customer that refuses very many stops its delivery at 20 set aside; the rest waits', async () => {
  const slug = 'many-refused';
  const odd = ({ records }: ReceivedPage) =>
    records.some(({ remote_id }) => Number(remote_id) % 2 === 1) ? 409 : 200;
  await feed.addChannel(slug, { page_size: 100 }, odd);
  await feed.push(slug, ['accounts'], 100);
  await feed.deliverNow(slug);
  const report = await feed.closed(slug, 'accounts', 1);
  expect(report).toMatchObject({ status: 'failed', failure: 'refused' });
  expect(report.failure_message).toMatch(
    /answered 409 to .*: ask the customer what is wrong with those set aside$/,
  );
  const aside = await asideOf(slug);
  expect(aside.length).toBeGreaterThan(0);
  expect(aside.length).toBeLessThanOrEqual(20);
  const { position } = await feed.marker(slug, 'accounts');
  expect(position).toBeGreaterThan(report.from);
  expect(position).toBeLessThan(report.to);
});

test('what one run spends on refused records is counted over its own window and what is released', async () => {
  const slug = 'spends';
  const customer = await feed.addChannel(slug, { entity_types: ['accounts'] }, refusing(2));
  const deliver = async (run: number) => {
    await feed.deliverNow(slug);
    return feed.closed(slug, 'accounts', run);
  };
  const spentBefore = (run: number) =>
    eventually(async () => {
      const [catchUp] = await runsOf(feed.client, deliveryWorkflowId(slug, 'accounts', run, true));
      return inputOf<{ spent: { probes: number } }>(catchUp!).spent;
    }, 20_000);
  await feed.push(slug, ['accounts'], 4);
  await deliver(1);
  await releaseSetAside(feed.store, slug, {});
  await feed.push(slug, ['accounts'], 4, 5);
  customer.script = refusing(2, 6);
  await deliver(2);
  const { set_aside, probes } = await feed.delivery(slug, 'accounts', 2).result();
  expect([set_aside, probes > 0]).toEqual([1, true]);
  expect(await spentBefore(2)).toEqual({ set_aside, probes });
  await eventually(async () => expect((await feed.laneOf(slug, 'accounts'))?.state).toBe('idle'));

  // also where the own window fails by them
  await releaseSetAside(feed.store, slug, {});
  await feed.push(slug, ['accounts'], 4, 9);
  customer.script = () => 422;
  expect(await deliver(3)).toMatchObject({ status: 'failed', failure: 'refused' });
  expect((await spentBefore(3)).probes).toBeGreaterThan(0);
});

test('a customer that refuses our key is not asked for more in the same run', async () => {
  const slug = 'once-a-run';
  const customer = await feed.addChannel(slug, { entity_types: ['accounts'] }, refusing(2));
  await feed.push(slug, ['accounts'], 4);
  await feed.deliverNow(slug);
  await feed.closed(slug, 'accounts', 1);
  await releaseSetAside(feed.store, slug, {});
  await feed.push(slug, ['accounts'], 4, 5);
  const before = customer.pages.length;
  customer.script = () => 401;
  await feed.deliverNow(slug);
  expect(await feed.closed(slug, 'accounts', 2)).toMatchObject({ failure: 'unauthorized' });
  await eventually(async () => expect((await feed.laneOf(slug, 'accounts'))?.state).toBe('idle'));
  expect(customer.pages).toHaveLength(before + 1);
});

test('one record that alone is too large is set aside, and blocks nothing', async () => {
  const slug = 'one-too-large';
  const customer = await feed.addChannel(slug, { page_size: 8 }, ({ records }) =>
    records.some(({ remote_id }) => remote_id === '5') ? 413 : 200,
  );
  await feed.push(slug, ['accounts'], 8);
  await feed.deliverNow(slug);
  await eventually(() => expect(feed.held(customer, 'accounts')).toEqual(upTo(8, 5)));
  expect(await listSetAside(feed.store, slug)).toMatchObject([{ failure: 'too_large', status: 413 }]);
});
