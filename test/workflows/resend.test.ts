import { rotateKey } from '../../store/access/channel-keys';
import { listReleased, listSetAside, RELEASED_AT_ONCE } from '../../store/feed/set-aside';
import { type Api, type ApiAnswer, startApi } from '../api/start-api';
import { eventually } from '../setup/eventually';
import type { FakeCustomer, ReceivedPage, Script } from '../setup/fake-customer';
import { TestFeed } from './test-feed';
import { slowTest } from '../setup/cases';

let feed: TestFeed;
let api: Api;
beforeAll(async () => {
  feed = await TestFeed.start();
  api = await startApi({ store: feed.store, temporal: feed.worker.temporal });
});
afterAll(async () => {
  await api.stop();
  await feed.stop();
});

type Settings = Parameters<TestFeed['addChannel']>[1];

/** A customer who holds all of so many tickets. */
async function holding(slug: string, amount: number, settings: Settings = {}, script?: Script) {
  const customer = await feed.addChannel(slug, settings, script);
  await feed.push(slug, ['tickets'], amount);
  await feed.deliverNow(slug);
  await feed.closed(slug, 'tickets', 1);
  return { customer, ...(await asker(slug)) };
}

async function asker(slug: string) {
  const token = (await rotateKey(feed.store, slug, 0))!.apiKey;
  const company = (await feed.channel(slug)).companies[0]!;
  const ask = (method: string, path: string, body?: unknown) =>
    api.ask(method, `/api/v1/channels/${slug}/${path}`, { token, body });
  const idOf = (id: number) => `${company}-${id}`;
  return {
    ask,
    token,
    idOf,
    resend: (ids: number[]) => ask('POST', 'resend', { entity_type: 'tickets', ids: ids.map(idOf) }),
    account: (id: number) => ask('POST', 'resend', { entity_type: 'tickets', account: idOf(id) }),
  };
}

const remoteIds = ({ records }: ReceivedPage) => records.map(({ remote_id }) => Number(remote_id));
const nothingReleased = (slug: string) =>
  eventually(async () => expect(await listReleased(feed.store, slug)).toEqual([]));
const refusedRun = (slug: string) =>
  eventually(async () => {
    const reports = feed.store.db.collection<{ _id: string }>('deliveries');
    const report = await reports.findOne({ _id: `delivery/${slug}/tickets/2/catch-up` });
    expect(report).toMatchObject({ status: 'failed' });
  });
const since = (customer: FakeCustomer, before: number) => customer.pages.slice(before);
const range = (amount: number) => Array.from({ length: amount }, (_, index) => index + 1);

test('just these are sent again, on few pages and under new ids, and the marker does not move', async () => {
  const slug = 'just-these';
  const { customer, resend } = await holding(slug, 500, { page_size: 1_000 });
  const [marker, before] = [await feed.marker(slug, 'tickets'), customer.pages.length];
  const answer = await resend(range(250));
  expect(answer.json).toEqual({ records: 250, unknown: [], starts: 'now' });
  await nothingReleased(slug);
  const pages = since(customer, before);
  expect(pages.map(({ records }) => records.length)).toEqual([200, 50]);
  // Each by itself: there is no order among them.
  expect(pages.map(({ meta }) => meta)).toEqual(
    [200, 50].map((page_count) => ({
      current_page: 1,
      page_count,
      page_size: 1_000,
      total_count: page_count,
      total_pages: 1,
    })),
  );
  expect(pages.flatMap(remoteIds).sort((a, b) => a - b)).toEqual(range(250));
  expect(new Set(customer.pages.map(({ headers }) => headers['webhook-id'])).size).toBe(
    customer.pages.length,
  );
  const after = await feed.marker(slug, 'tickets');
  expect([after.position, after.generation]).toEqual([marker.position, marker.generation]);
  expect(after.delivered_at!.getTime()).toBeGreaterThan(marker.delivered_at!.getTime());
});

test('the page carries the request’s id', async () => {
  const slug = 'same-id';
  const { customer, idOf, token } = await holding(slug, 2);
  const body = { entity_type: 'tickets', ids: [idOf(1)] };
  const headers = { 'x-request-id': 'fix-7' };
  await api.ask('POST', `/api/v1/channels/${slug}/resend`, { token, body, headers });
  await nothingReleased(slug);
  expect(customer.pages.at(-1)!.headers).toMatchObject({ 'x-request-id': 'fix-7' });
});

slowTest('all of an account', async () => {
  const slug = 'account';
  const { customer, account } = await holding(slug, 3);
  await feed.pushThese(slug, { tickets: [{ id: '4', account_id: '2' }] });
  await feed.deliverNow(slug);
  await feed.closed(slug, 'tickets', 2);
  const before = customer.pages.length;
  expect((await account(1)).json).toMatchObject({ records: 3 });
  await nothingReleased(slug);
  expect(since(customer, before).flatMap(remoteIds)).toEqual([1, 2, 3]);
});

slowTest('one that is refused is found and set aside; the others arrive', async () => {
  const slug = 'one-bad';
  const { customer, resend, idOf } = await holding(slug, 40);
  const before = customer.pages.length;
  customer.script = (page) => (remoteIds(page).includes(17) ? { status: 422, body: 'bad' } : 200);
  await resend(range(40));
  await eventually(async () =>
    expect(await listSetAside(feed.store, slug)).toMatchObject([{ record: idOf(17), answer: 'bad' }]),
  );
  await nothingReleased(slug);
  const confirmed = since(customer, before).filter(({ status }) => status === 200);
  expect(confirmed.flatMap(remoteIds).sort((a, b) => a - b)).toEqual(range(40).filter((id) => id !== 17));
  expect(since(customer, before).length).toBeLessThanOrEqual(13);
});

slowTest(
  'where everything is refused nothing is set aside, and all of it comes once the customer takes it',
  async () => {
    const slug = 'all-bad';
    const { customer, resend } = await holding(slug, 40);
    const before = customer.pages.length;
    customer.script = () => ({ status: 400, body: 'new release' });
    await resend(range(40));
    await refusedRun(slug);
    expect(since(customer, before).length).toBeLessThan(12);
    expect(await listSetAside(feed.store, slug)).toEqual([]);
    expect(await listReleased(feed.store, slug)).toHaveLength(40);
    customer.script = () => 200;
    await feed.deliverNow(slug);
    await nothingReleased(slug);
    expect(remoteIds(customer.pages.at(-1)!).sort((a, b) => a - b)).toEqual(range(40));
  },
);

slowTest('more than is read at once waits: all of it comes with one run', async () => {
  const slug = 'more-than-read';
  const { customer, idOf, resend } = await holding(slug, 2);
  const before = customer.pages.length;
  const [at, released_at] = [new Date(), new Date()];
  await feed.store.db.collection<{ _id: string }>('set_aside').insertMany(
    Array.from({ length: RELEASED_AT_ONCE + 100 }, (_, index) => {
      const record = `${idOf(0)}-gone-${index}`; // before those that are there
      const lane = { channel: slug, entity_type: 'tickets' };
      return {
        _id: `${slug}/tickets/${record}`,
        ...lane,
        record,
        position: 1,
        at,
        released_at,
        resend: true,
      };
    }),
  );
  await resend([1, 2]);
  await nothingReleased(slug);
  expect(since(customer, before).flatMap(remoteIds)).toEqual([1, 2]);
});

slowTest('many refused among many are searched for with a bounded number of requests', async () => {
  const slug = 'many-bad';
  const { customer, resend } = await holding(slug, 200);
  const before = customer.pages.length;
  customer.script = (page) => (remoteIds(page).some((id) => id % 12 === 5) ? 422 : 200);
  await resend(range(200));
  await refusedRun(slug);
  expect(since(customer, before).length).toBeLessThanOrEqual(62);
  expect(await listReleased(feed.store, slug)).not.toEqual([]);
});

slowTest('one that has changed since comes in its own place, once, and waits no longer', async () => {
  const slug = 'changed';
  const { customer, resend } = await holding(slug, 2);
  await feed.pushThese(slug, { tickets: [{ id: '1', account_id: '1', net_weight: 7, weight_uom: 'lb' }] });
  const before = customer.pages.length;
  await resend([1, 2]);
  await feed.deliverNow(slug);
  await nothingReleased(slug);
  const sent = since(customer, before).flatMap(({ records }) => records);
  expect(sent.find(({ remote_id }) => remote_id === '1')).toMatchObject({ net_weight: 7 });
  expect(sent.map(({ remote_id }) => remote_id).sort()).toEqual(['1', '2']);
});

slowTest(
  'a Retry-After that deliver now cut short is over once the customer has taken what is sent again',
  async () => {
    const slug = 'held-back';
    const { customer, resend } = await holding(slug, 2);
    customer.script = () => ({ status: 429, headers: { 'retry-after': '3600' } });
    await resend([1]);
    await eventually(async () =>
      expect((await feed.marker(slug, 'tickets')).not_before).toBeInstanceOf(Date),
    );
    expect((await resend([2])).json.starts).toMatch(/^\d{4}-/);
    customer.script = () => 200;
    await feed.deliverNow(slug);
    await nothingReleased(slug);
    expect((await feed.marker(slug, 'tickets')).not_before).toBeUndefined();
    expect((await resend([1])).json.starts).toBe('now');
  },
);

slowTest('a customer who is away gets them when it is back', async () => {
  const slug = 'away';
  const { customer, resend } = await holding(slug, 3);
  customer.script = () => 503;
  await resend([2]);
  await eventually(() => expect(customer.pages.at(-1)!.status).toBe(503));
  customer.script = () => 200;
  await nothingReleased(slug);
  expect(customer.pages.filter(({ status }) => status === 200).flatMap(remoteIds)).toContain(2);
});

slowTest('where pages are collected, they are collected', async () => {
  const slug = 'pulled';
  await feed.addChannel(slug, { delivery: 'pull', base_url: '' });
  await feed.push(slug, ['tickets'], 3);
  const { ask, resend } = await asker(slug);
  const next = () => ask('GET', 'feed?entity_type=tickets');
  const confirm = (page: ApiAnswer) =>
    ask('POST', 'feed/confirm', { page: String(page.headers['webhook-id']) });
  const first = await next();
  expect((await confirm(first)).status).toBe(204);
  const { position } = await feed.marker(slug, 'tickets');
  expect((await resend([1, 3])).json).toMatchObject({ records: 2 });
  const again = await next();
  expect(again.json.data.map((one: { ticket: { remote_id: string } }) => one.ticket.remote_id)).toEqual([
    '1',
    '3',
  ]);
  expect(again.headers['webhook-id']).not.toBe(first.headers['webhook-id']);
  expect((await confirm(again)).status).toBe(204);
  expect((await next()).status).toBe(204);
  expect((await feed.marker(slug, 'tickets')).position).toBe(position);
  await nothingReleased(slug);
});
