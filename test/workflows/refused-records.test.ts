import type { EntityType } from '../../domain/entity-types';
import { findChannel } from '../../store/feed/channels';
import { setChannel } from '../../store/feed/set-channel';
import { listSetAside, releaseSetAside } from '../../store/feed/set-aside';
import { deliveryWorkflowId, settingsChangedSignal } from '../../workflows/messages';
import { slowTest } from '../setup/cases';
import { eventually } from '../setup/eventually';
import type { ReceivedPage, Reply } from '../setup/fake-customer';
import { inputOf, runsOf } from './read-history';
import { TestFeed } from './test-feed';

let feed: TestFeed;
beforeAll(async () => {
  feed = await TestFeed.start();
});
afterAll(() => feed.stop());

const refusing =
  (...bad: number[]) =>
  ({ records }: ReceivedPage): Reply =>
    records.some(({ remote_id }) => bad.includes(Number(remote_id)))
      ? { status: 422, body: 'account 1 is not known here' }
      : 200;

const upTo = (last: number, ...without: number[]) =>
  Array.from({ length: last }, (_, index) => index + 1).filter((id) => !without.includes(id));

const asideOf = async (slug: string) => (await listSetAside(feed.store, slug)).map(({ record }) => record);

/** Waits for a channel to have nothing left to do of a type. */
async function caughtUp(slug: string, type: EntityType): Promise<void> {
  await eventually(async () => {
    const ceiling = await feed.store.db
      .collection<{ _id: string; position: number }>('counters')
      .findOne({ _id: type });
    expect((await feed.marker(slug, type)).position).toBe(ceiling!.position);
  });
}

test('one refused record of 1,000: that one is set aside, 999 are delivered, in at most 12 requests', async () => {
  const slug = 'one-refused';
  const customer = await feed.addChannel(slug, {}, refusing(617));
  await feed.push(slug, ['tickets'], 1_000);
  await feed.deliverNow(slug);
  const report = await feed.closed(slug, 'tickets', 1);
  expect(report).toMatchObject({ status: 'delivered', records: 999, set_aside: 1, pages: 1 });
  expect(feed.held(customer, 'tickets')).toEqual(upTo(1_000, 617));
  expect(customer.pages.length).toBeLessThanOrEqual(12);
  expect((await feed.marker(slug, 'tickets')).position).toBe(report.to);
  // every probe is a part of page 1, and says how much it carries itself
  expect(new Set(customer.pages.map(({ meta }) => meta.current_page))).toEqual(new Set([1]));
  for (const { meta, records } of customer.pages)
    expect(meta).toMatchObject({ page_count: records.length, total_count: 1_000 });
  const [kept] = await listSetAside(feed.store, slug);
  expect(kept).toMatchObject({
    entity_type: 'tickets',
    status: 422,
    failure: 'refused',
    answer: 'account 1 is not known here',
    delivery: report._id,
  });
  expect(kept!.record).toMatch(/-617$/);
});

test('an endpoint that refuses everything: nothing is set aside, the marker stays, the delivery fails', async () => {
  const slug = 'all-refused';
  const customer = await feed.addChannel(slug, {}, () => 400);
  await feed.push(slug, ['accounts'], 200);
  await feed.deliverNow(slug);
  const report = await feed.closed(slug, 'accounts', 1);
  expect(report).toMatchObject({
    status: 'failed',
    failure: 'refused',
    failure_message:
      'Acme Crop Insurance answered 400 to every record tried: ask the customer what its endpoint expects; nothing was set aside',
  });
  expect((await feed.marker(slug, 'accounts')).position).toBe(report.from);
  expect(await asideOf(slug)).toEqual([]);
  expect(customer.pages.length).toBeLessThanOrEqual(12);
});

slowTest('a customer that refuses very many stops its delivery at 20 set aside; the rest waits', async () => {
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

test('what is set aside goes again when it changes, when a reset covers it, and when it is released', async () => {
  const slug = 'comes-back';
  const customer = await feed.addChannel(slug, {}, refusing(3));
  await feed.push(slug, ['accounts'], 9);
  await feed.deliverNow(slug);
  await feed.closed(slug, 'accounts', 1);
  const [record] = await asideOf(slug);
  expect(record).toMatch(/-3$/);

  // released, and refused again: it stays set aside, and is not tried for ever
  await releaseSetAside(feed.store, slug, { records: [record!] });
  await feed.signal(slug, settingsChangedSignal, { reason: 'released' });
  await eventually(async () =>
    expect((await listSetAside(feed.store, slug, { released: false })).length).toBe(1),
  );
  expect(customer.pages.at(-1)!.records).toHaveLength(1);

  // released, and taken
  customer.script = () => 200;
  await releaseSetAside(feed.store, slug, { records: [record!] });
  await feed.signal(slug, settingsChangedSignal, { reason: 'released' });
  await eventually(async () => expect(await asideOf(slug)).toEqual([]));
  expect(feed.held(customer, 'accounts')).toEqual(upTo(9));

  // covered by a reset, and refused for it
  customer.script = refusing(4);
  await feed.reset(slug, 'accounts');
  await eventually(async () => expect(await asideOf(slug)).toEqual([expect.stringMatching(/-4$/)]));
  await caughtUp(slug, 'accounts');

  // changed, and taken
  customer.script = () => 200;
  await feed.pushThese(slug, { accounts: [{ id: '4', name: 'Farm 4, mended' }] });
  await feed.deliverNow(slug);
  await eventually(async () => expect(await asideOf(slug)).toEqual([]));
  expect(customer.holds('accounts').get(customer.pages.at(-1)!.records[0]!.id)).toMatchObject({
    name: 'Farm 4, mended',
  });
});

slowTest(
  'what one run spends on refused records is counted over its own window and what is released',
  async () => {
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
  },
);

slowTest('a customer that refuses our key is not asked for more in the same run', async () => {
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

test('413 halves the page and the size is remembered; a size set by hand forgets it', async () => {
  const slug = 'too-large';
  const customer = await feed.addChannel(slug, { page_size: 100 }, ({ records }) =>
    records.length > 30 ? 413 : 200,
  );
  await feed.push(slug, ['accounts'], 100);
  await feed.deliverNow(slug);
  await eventually(() => expect(feed.held(customer, 'accounts')).toEqual(upTo(100)));
  expect((await findChannel(feed.store, slug))!.page_limit).toMatchObject({ records: 25 });
  expect(customer.pages.map(({ records }) => records.length)).toEqual([100, 50, 25, 25, 25, 25]);
  expect(customer.pages.at(-1)!.meta).toMatchObject({ current_page: 4, total_pages: 4, page_size: 25 });
  expect((await feed.report(slug, 'accounts', 1)).status).toBe('resized');

  const before = customer.pages.length;
  await feed.push(slug, ['accounts'], 40, 101);
  await feed.deliverNow(slug);
  await eventually(() => expect(feed.held(customer, 'accounts')).toEqual(upTo(140)));
  expect(customer.pages.slice(before).map(({ records }) => records.length)).toEqual([25, 15]);

  await setChannel(feed.store, slug, { page_size: 30 });
  expect((await findChannel(feed.store, slug))!.page_limit).toBeUndefined();
});

slowTest('one record that alone is too large is set aside, and blocks nothing', async () => {
  const slug = 'one-too-large';
  const customer = await feed.addChannel(slug, { page_size: 8 }, ({ records }) =>
    records.some(({ remote_id }) => remote_id === '5') ? 413 : 200,
  );
  await feed.push(slug, ['accounts'], 8);
  await feed.deliverNow(slug);
  await eventually(() => expect(feed.held(customer, 'accounts')).toEqual(upTo(8, 5)));
  expect(await listSetAside(feed.store, slug)).toMatchObject([{ failure: 'too_large', status: 413 }]);
});
