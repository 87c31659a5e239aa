import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { takeConfirmation } from '../../api/feed/next-page';
import { flawOfPage } from '../../domain/verify-page';
import { findChannel, openSecrets, pauseChannel } from '../../store/feed/channels';
import { readWaitingPage } from '../../store/feed/waiting-pages';
import { grant } from '../../store/sharing/grant-and-revoke';
import { unansweredQueue } from '../../workflows/messages';
import { rewire } from '../commit-order/rewire';
import { eventually } from '../setup/eventually';
import { FakeCustomer } from '../setup/fake-customer';
import { actsOf, grantAccounts, revokeAccounts } from '../setup/share-accounts';
import { type Api, hearingSignals, startApi } from '../api/start-api';
import { idOf, openPuller, remoteIds } from './puller';
import { eventsOf, runsOf } from './read-history';
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

const puller = (slug: string, settings?: Parameters<TestFeed['addChannel']>[1]) =>
  openPuller({ feed, api }, slug, settings);
const positionOf = async (slug: string) => (await feed.marker(slug, 'tickets')).position;

test('collects pages in order, signed as they would be posted, and moves the marker by confirming', async () => {
  const customer = await puller('collects', { page_size: 2 });
  await feed.push('collects', ['tickets'], 5);
  const first = await customer.next();
  expect([first.status, first.headers['content-type'], first.json.meta]).toEqual([
    200,
    'application/json',
    { current_page: 1, page_count: 2, page_size: 2, total_count: 5, total_pages: 3 },
  ]);
  expect(first.headers).toMatchObject({ 'x-channel-slug': 'collects', 'x-entity-type': 'tickets' });
  const channel = (await findChannel(feed.store, 'collects'))!;
  const { signingSecrets } = await openSecrets(feed.store, channel, new Date());
  const given = {
    id: idOf(first),
    timestamp: String(first.headers['webhook-timestamp']),
    signatures: String(first.headers['webhook-signature']),
  };
  const flaw = flawOfPage(given, Buffer.from(first.text), { secret: signingSecrets[0]!, now: new Date() });
  expect(flaw).toBeUndefined();

  const again = await customer.next();
  expect([idOf(again), again.text]).toEqual([idOf(first), first.text]);
  expect(await positionOf('collects')).toBe(0);
  const seen = [];
  for (let page = again; page.status === 200; page = await customer.next()) {
    seen.push(...remoteIds(page));
    expect((await customer.confirm(idOf(page))).status).toBe(204);
    expect(await positionOf('collects')).toBeGreaterThanOrEqual(seen.length);
  }
  expect(seen).toEqual(['1', '2', '3', '4', '5']);
  expect((await customer.next()).status).toBe(204);
  const { json } = await customer.ask('GET', '/deliveries');
  expect(json.data).toMatchObject([{ status: 'delivered', pages: 3, records: 5 }]);
});

test('what nobody has asked for waits in the queue of the unanswered, and is collected from there', async () => {
  const slug = 'not-asked';
  const customer = await puller(slug, { entity_types: ['tickets'], page_size: 1 });
  await feed.push(slug, ['tickets'], 2);
  await feed.deliverNow(slug);
  const stalled = { state: 'waiting', why: 'Acme Crop Insurance has not confirmed its page' };
  await eventually(async () => expect(await feed.laneOf(slug, 'tickets')).toMatchObject(stalled));
  const page = await customer.next();
  expect(remoteIds(page)).toEqual(['1']);
  await customer.confirm(idOf(page));
  const [run] = await runsOf(feed.client, `delivery/${slug}/tickets/1`);
  const queues = eventsOf(run!, 'EVENT_TYPE_ACTIVITY_TASK_SCHEDULED').map(
    (event) => event.activityTaskScheduledEventAttributes?.taskQueue?.name,
  );
  const { taskQueue } = feed.worker;
  expect(queues).toEqual([taskQueue, unansweredQueue(taskQueue)]);
});

slowTest('a customer who stops collecting is shown so each time', async () => {
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

test('confirming twice, late, out of order or another’s page moves nothing else', async () => {
  const customer = await puller('confirms', { page_size: 1 });
  const stranger = await puller('stranger', { page_size: 1 });
  for (const slug of ['confirms', 'stranger']) await feed.push(slug, ['tickets'], 2);
  const first = await customer.next();
  const theirs = await stranger.next();
  expect((await customer.confirm(idOf(theirs))).json.code).toBe('PAGE_NOT_WAITING');
  expect((await customer.confirm('msg_never')).json.code).toBe('PAGE_NOT_WAITING');
  expect((await stranger.confirm(idOf(first))).json.code).toBe('PAGE_NOT_WAITING');
  const both = await Promise.all([customer.confirm(idOf(first)), customer.confirm(idOf(first))]);
  expect(both.map(({ status }) => status)).toEqual([204, 204]);
  expect((await customer.confirm(idOf(first))).status).toBe(204);
  const second = await customer.next();
  expect(remoteIds(second)).toEqual(['2']);
  expect(remoteIds(await stranger.next())).toEqual(['1']); // its own marker has not moved
  expect((await customer.confirm(idOf(second))).status).toBe(204);
  const position = await positionOf('confirms');
  expect((await customer.confirm(idOf(first))).status).toBe(204);
  expect(await positionOf('confirms')).toBe(position);
  expect((await customer.next()).status).toBe(204);
});

slowTest(
  'a confirmation that counts is answered so, however far another client has come by then',
  async () => {
    const slug = 'overtaken';
    const customer = await puller(slug, { page_size: 1 });
    await feed.push(slug, ['tickets'], 3);
    const page = idOf(await customer.next());
    let others: Promise<string[]> | undefined;
    const store = rewire(feed.store, async ({ collection, method, run }) => {
      if (collection !== 'waiting_pages') return run();
      if (others) await others;
      const result = await run();
      if (method === 'findOneAndUpdate') others = customer.collectAll();
      return result;
    });
    const parts = { store, temporal: feed.worker.temporal };
    const channel = (await findChannel(feed.store, slug))!;
    expect(await takeConfirmation(parts, { channel, page, requestId: 'test' })).toBe(true);
    expect(await others).toEqual(['2', '3']);
  },
);

slowTest('a page that nobody confirms stays; a late confirmation of the same page holds', async () => {
  const customer = await puller('late', { page_size: 10 });
  await feed.push('late', ['tickets'], 3);
  const page = await customer.next();
  await eventually(async () =>
    expect(await readWaitingPage(feed.store, 'late', 'tickets')).not.toHaveProperty('body'),
  );
  expect(await positionOf('late')).toBe(0);
  expect((await customer.confirm(idOf(page))).status).toBe(204);
  expect((await customer.next()).status).toBe(204);
});

test('a revoke counts for a page that waits already', async () => {
  const customer = await puller('revoked', { scope: 'subscribed' });
  await feed.pushThese('revoked', {
    accounts: [1, 2].map((id) => ({ id: String(id), name: `Farm ${id}` })),
    tickets: [1, 2].map((id) => ({ id: String(id), account_id: String(id) })),
  });
  const [{ companies }] = [(await findChannel(feed.store, 'revoked'))!];
  const keyOf = (id: number) => ({
    farmer: 'f1',
    channel: 'revoked',
    partner_id: 'P',
    account: `${companies[0]}-${id}`,
  });
  await grantAccounts(feed.store, (await findChannel(feed.store, 'revoked'))!, [keyOf(1), keyOf(2)]);
  const before = await customer.next();
  expect(remoteIds(before)).toEqual(['1', '2']);
  await revokeAccounts(feed.store, [keyOf(1)]);
  expect(remoteIds(await customer.next())).toEqual(['2']);
  expect((await customer.confirm(idOf(before))).json.code).toBe('PAGE_NOT_WAITING');
});

slowTest('a reset is collected again, under new ids', async () => {
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

test('says what is wrong', async () => {
  const customer = await puller('wrong', { entity_types: ['tickets'] });
  expect((await customer.next('cattle')).json.validation_messages.entity_type).toBeDefined();
  expect((await customer.next('accounts')).json.validation_messages.entity_type).toEqual([
    'this channel carries only tickets',
  ]);
  expect((await customer.confirm(undefined)).json.validation_messages.page).toEqual(['is required']);
  expect((await customer.confirm({ $gt: '' })).json.validation_messages.page).toBeDefined();
  await pauseChannel(feed.store, 'wrong', 'asked');
  expect((await customer.next('tickets')).json.code).toBe('CHANNEL_PAUSED');
  expect((await customer.confirm('msg_1')).json.code).toBe('CHANNEL_PAUSED');
  await feed.changeChannel('wrong', { delivery: 'push' });
  expect((await customer.next('tickets')).json.code).toBe('CHANNEL_PUSHED');
  expect((await customer.confirm('msg_1')).json.code).toBe('CHANNEL_PUSHED');
});

slowTest('two clients at once on one channel harm only themselves', async () => {
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

slowTest('a page that waits is posted within a cadence once the channel posts its pages', async () => {
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
  await customer.stop();
});

test('with Temporal away a question gets 503 and Retry-After', async () => {
  const apart = await startApi({ store: feed.store, temporal: hearingSignals(false).temporal });
  try {
    const customer = await openPuller({ feed, api: apart }, 'cut-off', { page_size: 2 });
    await feed.push('cut-off', ['tickets'], 1);
    const away = await customer.ask('GET', '/feed?entity_type=tickets');
    expect([away.status, away.json.code, away.headers['retry-after']]).toEqual([503, 'UNAVAILABLE', '5']);
  } finally {
    await apart.stop();
  }
});

slowTest('a grant that ends while its page waits: the next question gets a page without it', async () => {
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

test('a page of which a farmer shares nothing any more waits no longer', async () => {
  const customer = await puller('emptied', { scope: 'subscribed' });
  await feed.pushThese('emptied', {
    accounts: [{ id: '1', name: 'Farm 1' }],
    tickets: [{ id: '1', account_id: '1' }],
  });
  const channel = await feed.channel('emptied');
  const account = `${channel.companies[0]}-1`;
  const key = { farmer: 'f1', channel: 'emptied', partner_id: 'P', account };
  await grantAccounts(feed.store, channel, [key]);
  const page = await customer.next();
  expect(remoteIds(page)).toEqual(['1']);
  await revokeAccounts(feed.store, [key]);
  expect((await customer.next()).status).toBe(204);
  expect((await customer.confirm(idOf(page))).json.code).toBe('PAGE_NOT_WAITING');
});

slowTest('a page of nearly 16 MiB of text that hardly packs', async () => {
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

slowTest('a page that was replaced before its confirmation could be taken is not confirmed', async () => {
  const customer = await puller('replaced');
  await feed.pushThese('replaced', { tickets: [{ id: '1', account_id: '1' }] });
  const page = await customer.next();
  await eventually(async () =>
    expect(await readWaitingPage(feed.store, 'replaced', 'tickets')).not.toHaveProperty('body'),
  );
  await feed.pushThese('replaced', { tickets: [{ id: '1', account_id: '1', note: 'corrected' }] });
  expect((await customer.confirm(idOf(page))).json.code).toBe('PAGE_NOT_WAITING');
  const next = await customer.next();
  expect(next.json.data[0].ticket).toMatchObject({ remote_id: '1', note: 'corrected' });
  expect((await customer.confirm(idOf(next))).status).toBe(204);
});
