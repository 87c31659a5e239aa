import { findChannel } from '../../store/channels/channels';
import { setChannel } from '../../store/channels/set-channel';
import { readCeiling } from '../../store/records/counters';
import { listSetAside, releaseSetAside, setAside } from '../../store/deliveries/set-aside';
import { farmerOf } from '../../store/consent/subscriptions';
import { subscriptionsChangedSignal } from '../../workflows/messages';
import { nightlyTest } from '../setup/cases';
import { eventually } from '../setup/eventually';
import type { FakeCustomer, ReceivedPage, Reply } from '../setup/fake-customer';
import { grantAccounts } from '../setup/share-accounts';
import { TestFeed } from './test-feed';

// Every account's catch-up of accounts holds one record: its refusal alone says nothing, until another is confirmed.

let feed: TestFeed;
beforeAll(async () => {
  feed = await TestFeed.start();
});

const refusing =
  (...bad: number[]) =>
  ({ records }: ReceivedPage): Reply =>
    records.some(({ remote_id }) => bad.includes(Number(remote_id))) ? 422 : 200;

/** A channel whose farmer has shared so many accounts, one after the other in a run of their own. */
async function shared(
  slug: string,
  accounts: number,
  script: (page: ReceivedPage) => Reply,
  granted = accounts,
) {
  const customer = await feed.addChannel(slug, { scope: 'subscribed', entity_types: ['accounts'] }, script);
  await feed.push(slug, ['accounts'], accounts);
  const channel = (await findChannel(feed.store, slug))!;
  const company = channel.companies[0]!;
  const farmer = farmerOf(feed.store, '7015550142');
  const keyOf = (account: number) => ({
    ...{ channel: slug, partner_id: 'policy', farmer },
    account: `${company}-${account}`,
  });
  const keys = Array.from({ length: granted }, (_, index) => keyOf(index + 1));
  await feed.deliverNow(slug); // the channel's own marker passes over them: nothing is shared yet
  await eventually(async () => expect((await feed.marker(slug, 'accounts')).position).toBeGreaterThan(0));
  await grantAccounts(feed.store, channel, keys);
  const grant = (account: number) => grantAccounts(feed.store, channel, [keyOf(account)]);
  return { customer, company, grant };
}

const share = (slug: string) => feed.signal(slug, subscriptionsChangedSignal, { request_id: 'farmer' });
const held = (customer: FakeCustomer) => feed.held(customer, 'accounts');
const asideOf = async (slug: string) => (await listSetAside(feed.store, slug)).map(({ record }) => record);

test('three accounts, the first one’s record refused: the others arrive in the same run, it is set aside', async () => {
  const { customer, company } = await shared('three', 3, refusing(1));
  await share('three');
  await eventually(() => expect(held(customer)).toEqual([2, 3]));
  await eventually(async () => expect(await asideOf('three')).toEqual([`${company}-1`]));
  const left = { channel: 'three', account: { $exists: true } };
  await eventually(async () =>
    expect(await feed.store.db.collection('markers').countDocuments(left)).toBe(0),
  );
  await eventually(async () => {
    const reports = await feed.store.db.collection('deliveries').find({ channel: 'three' }).toArray();
    expect(reports).toMatchObject([{ catch_up: true, status: 'delivered', records: 2, set_aside: 1 }]);
  });
});

test('all of them refused: it is the endpoint, nothing is set aside and all is kept', async () => {
  const { customer } = await shared('everything', 3, refusing(1, 2, 3));
  await share('everything');
  await eventually(async () => {
    const reports = await feed.store.db.collection('deliveries').find({ channel: 'everything' }).toArray();
    expect(reports).toMatchObject([{ status: 'failed', failure: 'refused' }]);
  });
  expect(await asideOf('everything')).toEqual([]);
  customer.script = () => 200;
  await feed.deliverNow('everything');
  await eventually(() => expect(held(customer)).toEqual([1, 2, 3]));
});

test('a refused account does not hold up what was released', async () => {
  const { customer, company } = await shared('released', 2, () => 200);
  await share('released');
  await eventually(() => expect(held(customer)).toEqual([1, 2]));
  await feed.push('released', ['accounts'], 1, 3);
  const ceiling = await readCeiling(feed.store, 'accounts');
  await feed.deliverNow('released');
  await eventually(async () => {
    expect((await feed.marker('released', 'accounts')).position).toBe(ceiling);
    // or this run would still find what is released, and send it by itself
    expect(await feed.handle('released').query('status')).toMatchObject({ state: 'waiting' });
  });
  const record = `${company}-2`;
  await setAside(feed.store, {
    channel: 'released',
    entity_type: 'accounts',
    record,
    position: 2,
    failure: 'refused',
    status: 422,
    answer: '',
    delivery: 'test',
  });
  await releaseSetAside(feed.store, 'released', {});
  const before = customer.pages.length;
  customer.script = refusing(3);
  const channel = (await findChannel(feed.store, 'released'))!;
  const farmer = farmerOf(feed.store, '7015550142');
  const key = { channel: 'released', partner_id: 'policy', farmer, account: `${company}-3` };
  await grantAccounts(feed.store, channel, [key]);
  await share('released');
  await eventually(async () => {
    const sent = customer.pages.slice(before).filter(({ status }) => status === 200);
    expect(sent.flatMap(({ records }) => records.map(({ remote_id }) => remote_id))).toEqual(['2']);
    expect(await asideOf('released')).toEqual([`${company}-3`]); // what was released shows that the endpoint works
  });
});

nightlyTest(
  'an account that was left out, as there were more than planned, is planned again at once',
  async () => {
    const slug = 'more-than-planned';
    const { customer, company, grant } = await shared(slug, 3, () => 200, 1);
    await setChannel(feed.store, slug, { page_size: 1 });
    await share(slug);
    await eventually(() => expect(held(customer)).toEqual([1]));
    await eventually(async () => expect((await feed.laneOf(slug, 'accounts'))?.state).toBe('idle'));
    const catchUps = feed.store.db.collection<{ _id: string; generation: number }>('markers');
    const idOf = (account: number) => `${slug}/accounts/${company}-${account}`;
    customer.script = async () => {
      customer.script = () => 200;
      await grant(3);
      await feed.store.db
        .collection('subscriptions')
        .updateMany({ channel: slug }, { $set: { to_begin: [] } });
      const planned = (await catchUps.findOne({ _id: idOf(2) }))!;
      const newer = { _id: idOf(3), account: `${company}-3`, generation: planned.generation + 1 };
      await catchUps.insertOne({ ...planned, ...newer }); // as if another plan had begun it
      return 200;
    };
    await feed.pushThese(slug, { accounts: [{ id: '1', name: 'Dale' }] }); // its own window comes before the catch-up
    await grant(2);
    await feed.deliverNow(slug);
    await eventually(() => expect(held(customer)).toEqual([1, 2, 3]), 15_000);
    await eventually(async () => expect((await feed.laneOf(slug, 'accounts'))?.state).toBe('idle'));
    const reports = feed.store.db.collection('deliveries').find({ channel: slug, catch_up: true });
    const statuses = (await reports.toArray()).map(({ status }) => status);
    expect([statuses.length, new Set(statuses)]).toEqual([3, new Set(['delivered'])]);
  },
);
