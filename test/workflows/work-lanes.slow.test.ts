import { deliverNowSignal, settingsChangedSignal } from '../../workflows/messages';
import { cases, nightlyTest } from '../setup/cases';
import { eventually } from '../setup/eventually';
import { untilPage } from '../setup/until-page';
import { expectGrants, expectResets, never, of, TROUBLE } from './lanes-in-trouble';
import { TestFeed } from './test-feed';

let feed: TestFeed;
beforeAll(async () => {
  feed = await TestFeed.start();
});

const ROUNDS = cases(3, 10);
const { 'are waited for': _, ...others } = TROUBLE;

nightlyTest.each(Object.entries(others))('a reset of tickets leaves while accounts %s', (name, trouble) =>
  expectResets(feed, `reset-${name}`.replaceAll(' ', '-'), trouble, ROUNDS),
);

nightlyTest('what a farmer shares leaves while accounts are never answered', () =>
  expectGrants(feed, 'grant', TROUBLE['are never answered'], ROUNDS),
);

test('deliver now and a reset of one type cut no wait of another short, nor end its delivery', async () => {
  const slug = 'of-one-type';
  const asksForTime = of('accounts', () => ({ status: 503, headers: { 'retry-after': '600' } }));
  const customer = await feed.addChannel(slug, {}, asksForTime);
  await feed.push(slug, ['accounts', 'tickets'], 1);
  await feed.deliverNow(slug);
  await feed.closed(slug, 'tickets', 1);
  const waits = async () => expect((await feed.laneOf(slug, 'accounts'))?.state).toBe('waiting');
  await eventually(waits);
  await feed.push(slug, ['tickets'], 1, 2);
  await feed.signal(slug, deliverNowSignal, { request_id: 'test', entity_types: ['tickets'] });
  await eventually(() => expect(feed.held(customer, 'tickets')).toEqual([1, 2]));
  await untilPage(customer, 'tickets', () => feed.reset(slug, 'tickets'));
  await eventually(waits);
  expect((await feed.report(slug, 'accounts', 1)).status).toBe('running');
  expect(customer.pages.filter(({ entityType }) => entityType === 'accounts')).toHaveLength(1);
});

test('a stall is shown at its own type, beside one that is delivering', async () => {
  const slug = 'beside-a-stall';
  const later = { status: 503, headers: { 'retry-after': '600' } };
  await feed.addChannel(slug, {}, ({ entityType }) => (entityType === 'tickets' ? later : never()));
  await feed.push(slug, ['accounts', 'tickets'], 1);
  await feed.deliverNow(slug);
  await eventually(async () => expect((await feed.laneOf(slug, 'tickets'))?.state).toBe('waiting'), 20_000);
  expect(await feed.laneOf(slug, 'accounts')).toMatchObject({ state: 'delivering', why: '1 record' });
});

nightlyTest(
  'tickets keep their cadence while accounts are answered 503: each change goes by itself',
  async () => {
    const slug = 'cadence';
    const failing = of('accounts', () => 503);
    const customer = await feed.addChannel(slug, { cadence_ms: 2_000 }, failing);
    await feed.push(slug, ['accounts'], 1);
    await untilPage(customer, 'accounts', () => feed.deliverNow(slug));
    for (let time = 1; time <= ROUNDS; time++)
      await untilPage(customer, 'tickets', () => feed.push(slug, ['tickets'], 1, time));
    expect(customer.confirmed('tickets').map(({ records }) => records.length)).toEqual(Array(ROUNDS).fill(1));
  },
);

test('a Retry-After binds the entity type whose page was answered, and only deliver now cuts it short', async () => {
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
});
