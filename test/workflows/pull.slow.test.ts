import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { ENTITY_TYPES } from '../../domain/records/entity-types';
import { listReleased, listSetAside, RELEASED_AT_ONCE } from '../../store/deliveries/set-aside';
import { grant } from '../../store/sharing/grant-and-revoke';
import type { Api, ApiAnswer } from '../api/start-api';
import { eventually } from '../setup/eventually';
import { FakeCustomer, type ReceivedPage } from '../setup/fake-customer';
import { actsOf, grantAccounts } from '../setup/share-accounts';
import { idOf, openPuller, remoteIds } from './puller';
import { eventsOf, runsOf } from './read-history';
import { openAsker, openHolder } from './resender';
import { TestFeed } from './test-feed';
import { nightlyTest } from '../setup/cases';
import { stand } from '../setup/stand';

let feed: TestFeed;
let api: Api;
beforeAll(async () => {
  ({ feed, api } = await stand({ feed: {}, api: {} }));
});

const puller = (slug: string, settings?: Parameters<TestFeed['addChannel']>[1]) =>
  openPuller({ feed, api }, slug, settings);

nightlyTest('a customer who stops collecting is shown so each time', async () => {
  const slug = 'stops-again';
  const customer = await puller(slug, { entity_types: ['tickets'], page_size: 1 });
  await feed.push(slug, ['tickets'], 2);
  await feed.deliverNow(slug);
  const isStalled = async () => expect((await feed.laneOf(slug, 'tickets'))?.state).toBe('waiting');
  await eventually(isStalled);
  await customer.confirm(idOf(await customer.next()));
  await setTimeout(11_000); // nobody asks for the second page
  await eventually(isStalled, 10_000);
});

nightlyTest('a question is answered at once, however many customers ask and never confirm', async () => {
  const TYPES = [...ENTITY_TYPES];
  const broken = await Promise.all(
    Array.from({ length: 4 }, async (_, index) => {
      const slug = `never-confirms-${index}`;
      const customer = await puller(slug);
      await feed.push(slug, TYPES, 1);
      return { slug, ask: (type: string) => customer.ask('GET', `/feed?entity_type=${type}`) };
    }),
  );
  const ASKED = broken.flatMap(({ slug, ask }) =>
    TYPES.map((type) => ({ slug, type, ask: () => ask(type) })),
  );
  await Promise.all(ASKED.map(({ ask }) => ask()));
  const isStalled = async ({ slug, type }: (typeof ASKED)[number]) =>
    expect((await feed.laneOf(slug, type))?.state).toBe('waiting');
  for (const one of ASKED) await eventually(() => isStalled(one), 30_000);
  const fresh = await puller('asks-an-hour-later', { entity_types: ['tickets'] });
  await feed.push('asks-an-hour-later', ['tickets'], 1);
  await feed.deliverNow('asks-an-hour-later');
  await eventually(() => isStalled({ ...ASKED[0]!, slug: 'asks-an-hour-later', type: 'tickets' }), 30_000);
  await Promise.all(ASKED.map(({ ask }) => ask())); // they ask again
  const began = Date.now();
  expect(remoteIds(await fresh.next())).toEqual(['1']);
  expect(Date.now() - began).toBeLessThan(5_000);
  const runs = await runsOf(feed.client, 'delivery/asks-an-hour-later/tickets/1');
  const slices = runs.flatMap((run) => eventsOf(run, 'EVENT_TYPE_ACTIVITY_TASK_SCHEDULED'));
  const queues = slices.map((event) => event.activityTaskScheduledEventAttributes?.taskQueue?.name);
  expect(new Set(queues)).toEqual(new Set([feed.worker.taskQueue]));
});

const median = (list: number[]) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)];

nightlyTest(
  'a question with nothing new is answered in 0.3 s, and what is pushed is collected within a second',
  async () => {
    const slug = 'asks-at-once';
    const customer = await puller(slug, { entity_types: ['tickets'] });
    await customer.next();
    const timed = async (work: () => Promise<unknown>) => {
      const began = Date.now();
      await work();
      return Date.now() - began;
    };
    const nothing: number[] = [];
    const whole: number[] = [];
    for (let id = 1; id <= 9; id += 1) {
      nothing.push(await timed(() => customer.next()));
      await feed.pushThese(slug, { tickets: [{ id: String(id), account_id: '1' }] });
      whole.push(
        await timed(async () => {
          const page = await customer.next();
          expect(remoteIds(page)).toEqual([String(id)]);
          expect((await customer.confirm(idOf(page))).status).toBe(204);
        }),
      );
    }
    expect(median(nothing)).toBeLessThan(300);
    expect(median(whole)).toBeLessThan(1_000);
  },
);

test('a reset is collected again, under new ids', async () => {
  const customer = await puller('resets');
  await feed.push('resets', ['tickets'], 2);
  const page = await customer.next();
  await customer.confirm(idOf(page));
  const reset = await customer.ask('POST', '/markers/tickets/reset', { timestamp: '2026-01-01T00:00:00Z' });
  expect(reset.json).toMatchObject({ records: 2 });
  const again = await customer.next();
  expect(remoteIds(again)).toEqual(['1', '2']);
  expect(idOf(again)).not.toBe(idOf(page));
});

nightlyTest('two clients at once on one channel harm only themselves', async () => {
  const one = await puller('twice', { page_size: 3 });
  await feed.push('twice', ['tickets'], 30);
  await feed.push('twice', ['accounts'], 4);
  const seen = await Promise.all([one.collectAll(), one.collectAll(), one.collectAll('accounts')]);
  const [both, accounts] = [[...seen[0], ...seen[1]].map(Number), seen[2]];
  expect([...new Set(both)].sort((a, b) => a - b)).toEqual(
    Array.from({ length: 30 }, (_, index) => index + 1),
  );
  expect(accounts).toEqual(['1', '2', '3', '4']);
  for (const alone of seen) expect(alone.map(Number)).toEqual(alone.map(Number).sort((a, b) => a - b));
  expect((await one.next()).status).toBe(204);
});

test('a page that waits is posted within a cadence once the channel posts its pages', async () => {
  const slug = 'posts-now';
  await puller(slug, { cadence_ms: 3_000 });
  await feed.push(slug, ['tickets'], 1);
  await feed.deliverNow(slug);
  await eventually(async () => expect((await feed.report(slug, 'tickets', 1)).status).toBe('running'));
  await setTimeout(1_000); // it waits
  const customer = await FakeCustomer.start();
  await feed.changeChannel(slug, { delivery: 'push', base_url: customer.baseUrl });
  expect(await feed.closed(slug, 'tickets', 1)).toMatchObject({ status: 'delivered', records: 1 });
  expect(customer.pages).toHaveLength(1);
});

nightlyTest('a grant that ends while its page waits: the next question gets a page without it', async () => {
  const customer = await puller('ending', { scope: 'subscribed' });
  await feed.pushThese('ending', {
    accounts: [1, 2].map((id) => ({ id: String(id), name: `Farm ${id}` })),
    tickets: [1, 2].map((id) => ({ id: String(id), account_id: String(id) })),
  });
  const channel = await feed.channel('ending');
  const keyOf = (id: number) => ({
    farmer: 'f1',
    channel: 'ending',
    partner_id: 'P',
    account: `${channel.companies[0]}-${id}`,
  });
  await grantAccounts(feed.store, channel, [keyOf(2)]);
  const ends_at = new Date(Date.now() + 15_000);
  const acts = actsOf('grant', [keyOf(1)], channel.entity_types).map((act) => ({ ...act, ends_at }));
  await grant(feed.store, channel, acts, { phoneEnding: '42' });
  const before = await customer.next();
  expect(remoteIds(before)).toEqual(['1', '2']);
  await setTimeout(Math.max(0, ends_at.getTime() - Date.now()) + 50);
  const after = await customer.next();
  expect([after.status, remoteIds(after)]).toEqual([200, ['2']]);
  expect((await customer.confirm(idOf(before))).json.code).toBe('PAGE_NOT_WAITING');
  expect(await customer.collectAll()).toEqual(['2']);
});

nightlyTest('a page of nearly 16 MiB of text that hardly packs', async () => {
  const customer = await puller('large', { page_size: 100 });
  const [records, bytes] = [15, 1024 * 1024];
  const text = () => randomBytes((bytes / 4) * 3).toString('base64');
  for (let id = 1; id <= records; id++)
    await feed.pushThese('large', { tickets: [{ id: String(id), account_id: '1', note: text() }] });
  const page = await customer.next();
  expect(page.text.length).toBeGreaterThan(records * bytes);
  expect(remoteIds(page)).toHaveLength(records);
  expect((await customer.confirm(idOf(page))).status).toBe(204);
  expect((await customer.next()).status).toBe(204);
});

describe('resend', () => {
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

  test('all of an account', async () => {
    const slug = 'account';
    const { customer, account } = await openHolder({ feed, api }, slug, 3);
    await feed.pushThese(slug, { tickets: [{ id: '4', account_id: '2' }] });
    await feed.deliverNow(slug);
    await feed.closed(slug, 'tickets', 2);
    const before = customer.pages.length;
    expect((await account(1)).json).toMatchObject({ records: 3 });
    await nothingReleased(slug);
    expect(since(customer, before).flatMap(remoteIds)).toEqual([1, 2, 3]);
  });

  test('one that is refused is found and set aside; the others arrive', async () => {
    const slug = 'one-bad';
    const { customer, resend, idOf } = await openHolder({ feed, api }, slug, 40);
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

  nightlyTest(
    'where everything is refused nothing is set aside, and all of it comes once the customer takes it',
    async () => {
      const slug = 'all-bad';
      const { customer, resend } = await openHolder({ feed, api }, slug, 40);
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

  nightlyTest(
    '600 resends and 60 resets beside each other: all of it comes, the marker ends where it was, and nothing is stuck',
    async () => {
      const slug = 'storm';
      const { customer, ask, resend } = await openHolder({ feed, api }, slug, 40, { page_size: 10 });
      const { position, generation } = await feed.marker(slug, 'tickets');
      const began = Date.now();
      let since = customer.pages.length;
      const resetting = async () => {
        for (let one = 0; one < 60; one++) {
          since = customer.pages.length;
          const from = { timestamp: '2016-01-01T00:00:00Z' };
          expect((await ask('POST', 'markers/tickets/reset', from)).status).toBe(200);
        }
      };
      const resending = async (first: number) => {
        for (let one = 0; one < 60; one++)
          expect((await resend([first, ((first + one) % 40) + 1])).status).toBe(200);
      };
      await Promise.all([resetting(), ...range(10).map(resending)]);
      const [calledMs, resetAt] = [Date.now() - began, since];
      const ended = () =>
        eventually(async () => {
          expect(await listReleased(feed.store, slug)).toEqual([]);
          expect(await feed.marker(slug, 'tickets')).toMatchObject({ position, generation: generation + 60 });
        }, 120_000);
      await ended();
      console.log(`called within ${calledMs} ms, all has come after ${Date.now() - began} ms`);
      const come = new Set(customer.pages.slice(resetAt).flatMap(remoteIds));
      expect([...come].sort((a, b) => a - b)).toEqual(range(40));
      expect(await listSetAside(feed.store, slug)).toEqual([]);
      await feed.pushThese(slug, { tickets: [{ id: '41', account_id: '1' }] });
      await feed.deliverNow(slug);
      await eventually(() => expect(customer.pages.flatMap(remoteIds)).toContain(41));
    },
    300_000,
  );

  nightlyTest('more than is read at once waits: all of it comes with one run', async () => {
    const slug = 'more-than-read';
    const { customer, idOf, resend } = await openHolder({ feed, api }, slug, 2);
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

  test('many refused among many are searched for with a bounded number of requests', async () => {
    const slug = 'many-bad';
    const { customer, resend } = await openHolder({ feed, api }, slug, 200);
    const before = customer.pages.length;
    customer.script = (page) => (remoteIds(page).some((id) => id % 12 === 5) ? 422 : 200);
    await resend(range(200));
    await refusedRun(slug);
    expect(since(customer, before).length).toBeLessThanOrEqual(62);
    expect(await listReleased(feed.store, slug)).not.toEqual([]);
  });

  test('one that has changed since comes in its own place, once, and waits no longer', async () => {
    const slug = 'changed';
    const { customer, resend } = await openHolder({ feed, api }, slug, 2);
    await feed.pushThese(slug, { tickets: [{ id: '1', account_id: '1', net_weight: 7, weight_uom: 'lb' }] });
    const before = customer.pages.length;
    await resend([1, 2]);
    await feed.deliverNow(slug);
    await nothingReleased(slug);
    const sent = since(customer, before).flatMap(({ records }) => records);
    expect(sent.find(({ remote_id }) => remote_id === '1')).toMatchObject({ net_weight: 7 });
    expect(sent.map(({ remote_id }) => remote_id).sort()).toEqual(['1', '2']);
  });

  nightlyTest(
    'a Retry-After that deliver now cut short is over once the customer has taken what is sent again',
    async () => {
      const slug = 'held-back';
      const { customer, resend } = await openHolder({ feed, api }, slug, 2);
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

  test('a customer who is away gets them when it is back', async () => {
    const slug = 'away';
    const { customer, resend } = await openHolder({ feed, api }, slug, 3);
    customer.script = () => 503;
    await resend([2]);
    await eventually(() => expect(customer.pages.at(-1)!.status).toBe(503));
    customer.script = () => 200;
    await nothingReleased(slug);
    expect(customer.pages.filter(({ status }) => status === 200).flatMap(remoteIds)).toContain(2);
  });

  test('where pages are collected, they are collected', async () => {
    const slug = 'pulled';
    await feed.addChannel(slug, { delivery: 'pull', base_url: '' });
    await feed.push(slug, ['tickets'], 3);
    const { ask, resend } = await openAsker({ feed, api }, slug);
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
});
