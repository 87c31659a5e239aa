import { setTimeout } from 'node:timers/promises';
import { ENTITY_TYPES } from '../../domain/entity-types';
import { markerId, noteUnconfirmed, startMarker } from '../../store/feed/markers';
import { farmerOf } from '../../store/sharing/subscriptions';
import {
  channelWorkflowId,
  deliverNowSignal,
  settingsChangedSignal,
  subscriptionsChangedSignal,
} from '../../workflows/messages';
import { cases, first, scaledTest, slowTest } from '../setup/cases';
import { eventually } from '../setup/eventually';
import type { FakeCustomer, Script } from '../setup/fake-customer';
import { grantAccounts } from '../setup/share-accounts';
import { untilPage } from '../setup/until-page';
import { eventsOf, isEvent, runsOf } from './read-history';
import { TestFeed } from './test-feed';

// No entity type of a channel waits for another, whatever the customer does to it.

let feed: TestFeed;
beforeAll(async () => {
  feed = await TestFeed.start();
});
afterAll(() => feed.stop());

const SOON_MS = 5_000;
const ROUNDS = cases(1, 10);
const of =
  (type: string, script: Script): Script =>
  (page) =>
    page.entityType === type ? script(page) : 200;

const TROUBLE: [name: string, accounts: Script][] = [
  ['answers 503', () => 503],
  ['never answers', () => never()],
  ['takes a page a second of a long backlog', () => setTimeout(1_000, 200)],
];

const never = () => new Promise<never>(() => {});
const TRIES = 4;

/** Something else on the machine may slow a round; what accounts meet would slow each of its tries. */
async function expectSoon(slug: string, round: () => Promise<number>): Promise<void> {
  for (let time = 0; time < ROUNDS; time++) {
    let took = Infinity;
    for (let tries = 0; tries < TRIES && took >= SOON_MS; tries++) {
      took = Math.min(took, await round());
      await eventually(async () => expect((await feed.laneOf(slug, 'tickets'))?.state).toBe('idle'));
      await setTimeout(1_000); // the sender joins signals of one second
    }
    expect(took).toBeLessThan(SOON_MS);
  }
}

/** From now on accounts meet trouble; there are so many of them. */
async function begin(slug: string, customer: FakeCustomer, script: Script, accounts: number): Promise<void> {
  customer.script = of('accounts', script);
  await feed.push(slug, ['accounts'], accounts);
  await untilPage(customer, 'accounts', () => feed.deliverNow(slug));
}

scaledTest.each(first(1, TROUBLE))(
  `a reset of tickets leaves within 5 s while accounts %s, worst of ${ROUNDS}`,
  async (name, script) => {
    const slug = `reset-${name.replace(/\W+/g, '-')}`.slice(0, 30);
    const customer = await feed.addChannel(slug, { page_size: 10 });
    await feed.push(slug, ['tickets'], 3);
    await feed.deliverNow(slug);
    await feed.closed(slug, 'tickets', 1);
    const round = () => untilPage(customer, 'tickets', () => feed.reset(slug, 'tickets', 'their-request'));
    await begin(slug, customer, script, 400 + 100 * ROUNDS);
    await expectSoon(slug, round);
    expect((await feed.laneOf(slug, 'accounts'))?.state).toMatch(/waiting|delivering/);
    // what a reset sends again carries the request that asked for it
    const [page] = customer.pages.filter(({ entityType }) => entityType === 'tickets').slice(-1);
    expect(page!.headers['x-request-id']).toBe('their-request');
  },
);

scaledTest.each(first(1, TROUBLE))(
  `what a farmer shares leaves within 5 s while accounts %s, worst of ${ROUNDS}`,
  async (name, script) => {
    const slug = `grant-${name.replace(/\W+/g, '-')}`.slice(0, 30);
    const customer = await feed.addChannel(slug, {
      ...{ scope: 'subscribed', page_size: 1, entity_types: ['accounts', 'tickets'] },
    });
    const channel = await feed.channel(slug);
    const farmer = farmerOf(feed.store, '7015550142');
    let shared = 0;
    const share = async () => {
      const account = `${channel.companies[0]}-${++shared}`;
      await grantAccounts(feed.store, channel, [{ channel: slug, partner_id: 'policy', farmer, account }]);
      await feed.signal(slug, subscriptionsChangedSignal, { request_id: 'farmer' });
    };
    const tickets = Array.from({ length: ROUNDS * TRIES + 1 }, (_, index) => ({
      ...{ id: `T-${index}`, account_id: `${index + 1}` },
    }));
    await feed.pushThese(slug, { tickets });
    await share();
    await feed.deliverNow(slug);
    await eventually(() => expect(customer.holds('tickets').size).toBe(1));
    const round = () => untilPage(customer, 'tickets', share);
    await begin(slug, customer, script, 1);
    await expectSoon(slug, round);
    expect(customer.holds('tickets').size).toBe(shared);
    const [last] = customer.confirmed('tickets').slice(-1);
    expect(last!.headers['x-request-id']).toBe('farmer');
  },
);

slowTest(
  'deliver now and a reset of one type cut no wait of another short, nor end its delivery',
  async () => {
    const slug = 'of-one-type';
    const asksForTime = of('accounts', () => ({ status: 503, headers: { 'retry-after': '600' } }));
    const customer = await feed.addChannel(slug, {}, asksForTime);
    await feed.push(slug, ['accounts', 'tickets'], 1);
    await feed.deliverNow(slug);
    await feed.closed(slug, 'tickets', 1);
    const waits = async () => expect((await feed.laneOf(slug, 'accounts'))?.state).toBe('waiting');
    await eventually(waits, 10_000);
    await feed.push(slug, ['tickets'], 1, 2);
    await feed.signal(slug, deliverNowSignal, { request_id: 'test', entity_types: ['tickets'] });
    await eventually(() => expect(feed.held(customer, 'tickets')).toEqual([1, 2]), 10_000);
    await untilPage(customer, 'tickets', () => feed.reset(slug, 'tickets'));
    await eventually(waits);
    expect((await feed.report(slug, 'accounts', 1)).status).toBe('running');
    expect(customer.pages.filter(({ entityType }) => entityType === 'accounts')).toHaveLength(1);
  },
);

test('a type that is reset before its turn keeps the one behind it from nothing', async () => {
  const slug = 'before-its-turn';
  const customer = await feed.addChannel(slug, {}, of('accounts', never));
  await feed.push(slug, ['accounts', 'contracts', 'tickets'], 1);
  await untilPage(customer, 'accounts', () => feed.deliverNow(slug));
  await feed.reset(slug, 'contracts'); // it lets accounts go first
  await eventually(() => expect(feed.held(customer, 'tickets')).toEqual([1]), 20_000);
  await eventually(() => expect(feed.held(customer, 'contracts')).toEqual([1]));
});

test('a type whose customer has asked for time is held back, and not planned again and again', async () => {
  const slug = 'asked-for-time';
  await feed.addChannel(slug, { entity_types: ['accounts'] });
  await feed.push(slug, ['accounts'], 1);
  const notBefore = new Date(Date.now() + 3_600_000);
  await startMarker(feed.store, slug, 'accounts', 0);
  await noteUnconfirmed(feed.store, markerId(slug, 'accounts'), { notBefore, unanswered: false });
  await feed.signal(slug, settingsChangedSignal, { reason: 'test' });
  await eventually(async () => {
    const until = notBefore.toISOString();
    expect(await feed.laneOf(slug, 'accounts')).toMatchObject({ state: 'held', until });
  }, 20_000);
});

test('deliver now of one type leaves another to the time that was asked for, and its own is over with it', async () => {
  const slug = 'one-asked-for-time';
  const customer = await feed.addChannel(slug, { entity_types: ['accounts', 'tickets'] });
  await feed.push(slug, ['accounts', 'tickets'], 1);
  const notBefore = new Date(Date.now() + 3_600_000);
  await startMarker(feed.store, slug, 'accounts', 0);
  await noteUnconfirmed(feed.store, markerId(slug, 'accounts'), { notBefore, unanswered: false });
  const accounts = async () => (await feed.laneOf(slug, 'accounts'))?.state;
  // the first signal of a channel finds every type due
  await feed.signal(slug, deliverNowSignal, { request_id: 'test', entity_types: ['tickets'] });
  await eventually(() => expect(feed.held(customer, 'tickets')).toEqual([1]));
  await eventually(async () => expect(await accounts()).toBe('held'), 10_000);
  expect(feed.held(customer, 'accounts')).toEqual([]);
  await feed.signal(slug, deliverNowSignal, { request_id: 'test', entity_types: ['accounts'] });
  await eventually(() => expect(feed.held(customer, 'accounts')).toEqual([1]));
  await eventually(async () => expect(await accounts()).toBe('idle'), 10_000);
});

slowTest('a stall is shown at its own type, beside one that is delivering', async () => {
  const slug = 'beside-a-stall';
  const later = { status: 503, headers: { 'retry-after': '600' } };
  await feed.addChannel(slug, {}, ({ entityType }) => (entityType === 'tickets' ? later : never()));
  await feed.push(slug, ['accounts', 'tickets'], 1);
  await feed.deliverNow(slug);
  await eventually(async () => expect((await feed.laneOf(slug, 'tickets'))?.state).toBe('waiting'), 20_000);
  expect(await feed.laneOf(slug, 'accounts')).toMatchObject({ state: 'delivering', why: '1 record' });
});

test('a reset of the type that hangs gives the hanging request up', async () => {
  const customer = await feed.addChannel('hangs', {}, never);
  await feed.push('hangs', ['tickets'], 3);
  await untilPage(customer, 'tickets', () => feed.deliverNow('hangs'));
  customer.script = () => 200;
  const took = await untilPage(customer, 'tickets', () => feed.reset('hangs', 'tickets'));
  expect(took).toBeLessThan(25_000); // the request alone would hang for 30 s
  expect(await feed.closed('hangs', 'tickets', 1)).toMatchObject({ status: 'superseded' });
  expect(await feed.closed('hangs', 'tickets', 2)).toMatchObject({ status: 'delivered', records: 3 });
  // the delivery ended after its request had, so that the next one began after it
  const [run] = await runsOf(feed.client, 'delivery/hangs/tickets/1');
  const order = run!.events.filter(
    (event) =>
      isEvent(event, 'EVENT_TYPE_ACTIVITY_TASK_CANCELED') ||
      isEvent(event, 'EVENT_TYPE_ACTIVITY_TASK_SCHEDULED'),
  );
  expect(order.map((event) => isEvent(event, 'EVENT_TYPE_ACTIVITY_TASK_CANCELED'))).toEqual([
    false,
    true,
    false,
  ]);
});

slowTest(
  'tickets keep a cadence of 2 s while accounts are answered 503; no point of the grid is dropped',
  async () => {
    const slug = 'cadence';
    const customer = await feed.addChannel(
      slug,
      { cadence_ms: 2_000 },
      of('accounts', () => 503),
    );
    await feed.push(slug, ['accounts'], 1);
    await untilPage(customer, 'accounts', () => feed.deliverNow(slug));
    const waited: number[] = [];
    for (let time = 1; time <= cases(3, 10); time++)
      waited.push(await untilPage(customer, 'tickets', () => feed.push(slug, ['tickets'], 1, time)));
    const median = waited.sort((one, other) => one - other)[Math.floor(waited.length / 2)];
    expect(median).toBeLessThan(2_000 + SOON_MS); // a loaded machine may be late once
  },
);

slowTest(
  'a Retry-After binds the entity type whose page was answered, and only deliver now cuts it short',
  async () => {
    const slug = 'throttled';
    const throttle = { status: 429, headers: { 'retry-after': '3600' } };
    const customer = await feed.addChannel(
      slug,
      { cadence_ms: 2_000 },
      of('accounts', () => throttle),
    );
    const accounts = () => customer.pages.filter(({ entityType }) => entityType === 'accounts').length;
    await feed.push(slug, ['accounts', 'tickets'], 1);
    await feed.deliverNow(slug);
    expect(await feed.closed(slug, 'accounts', 1)).toMatchObject({ status: 'failed', failure: 'throttled' });
    const held = await eventually(async () => {
      const lane = await feed.laneOf(slug, 'accounts');
      expect(lane?.state).toBe('held');
      return lane!;
    });
    expect(Date.parse(held.until!) - Date.now()).toBeGreaterThan(3_400_000);

    // tickets go on, by the hour and after a reset
    await untilPage(customer, 'tickets', () => feed.push(slug, ['tickets'], 1, 2));
    await untilPage(customer, 'tickets', () => feed.reset(slug, 'tickets'));
    // accounts wait, whoever asks
    await feed.reset(slug, 'accounts');
    await feed.signal(slug, settingsChangedSignal, { reason: 'test' });
    await untilPage(customer, 'tickets', () => feed.push(slug, ['tickets'], 1, 3));
    await untilPage(customer, 'tickets', () => feed.push(slug, ['tickets'], 1, 4));
    expect(accounts()).toBe(1);
    expect((await feed.laneOf(slug, 'accounts'))?.state).toBe('held');
    await feed.signal(slug, deliverNowSignal, { request_id: 'test', entity_types: ['accounts'] });
    await eventually(() => expect(accounts()).toBe(2));
  },
);

slowTest(
  'types that are planned together begin in their order, each when the one before has closed or had two seconds',
  async () => {
    await feed.addChannel('in-order', {}, of('accounts', never));
    await feed.push('in-order', ['settlements', 'tickets', 'contracts', 'accounts'], 1);
    await feed.deliverNow('in-order');
    await feed.closed('in-order', 'settlements', 1);
    const [run] = await runsOf(feed.client, channelWorkflowId('in-order'));
    const begun = eventsOf(run!, 'EVENT_TYPE_START_CHILD_WORKFLOW_EXECUTION_INITIATED').map((event) => ({
      id: event.startChildWorkflowExecutionInitiatedEventAttributes!.workflowId,
      at: Number(event.eventTime!.seconds) + Number(event.eventTime!.nanos) / 1e9,
    }));
    expect(begun.map(({ id }) => id)).toEqual(ENTITY_TYPES.map((type) => `delivery/in-order/${type}/1`));
    expect(begun[1]!.at - begun[0]!.at).toBeGreaterThanOrEqual(1.9);
    expect((await feed.report('in-order', 'accounts', 1)).status).toBe('running');
  },
);
