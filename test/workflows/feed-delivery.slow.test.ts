import type { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { EntityType } from '../../domain/records/entity-types';
import { findChannel, resumeChannel } from '../../store/channels/channels';
import { settingsChangedSignal } from '../../workflows/messages';
import { eventually } from '../setup/eventually';
import type { FakeCustomer, Reply } from '../setup/fake-customer';
import { eventsOf, runsOf } from './read-history';
import { startFailing } from './start-failing';
import { TestFeed } from './test-feed';
import { nightlyTest } from '../setup/cases';

let feed: TestFeed;
let budgetRunsOut: Promise<FakeCustomer>;

beforeAll(async () => {
  feed = await TestFeed.start();
  budgetRunsOut = startImpatient();
});

/** The shortest retry budget is 30 s: this channel spends it while the other tests run. */
async function startImpatient(): Promise<FakeCustomer> {
  const customer = await feed.addChannel('impatient', { cadence_ms: 3_000 }, () => 503);
  await feed.push('impatient', ['accounts'], 1);
  await feed.deliverNow('impatient');
  return customer;
}

async function failureOf(slug: string, type: EntityType, run: number): Promise<ApplicationFailure> {
  const failed = await feed
    .delivery(slug, type, run)
    .result()
    .catch((error: WorkflowFailedError) => error.cause);
  expect(failed).toBeInstanceOf(ApplicationFailure);
  return failed as ApplicationFailure;
}

const REFUSALS: [what: string, reply: Reply, failure: string, message: string][] = [
  [
    '400',
    400,
    'refused',
    'answered 400 to record *, with no other to compare it with: ask the customer what its endpoint expects; nothing was set aside',
  ],
  ['401', 401, 'unauthorized', 'answered 401: check the channel’s authorization'],
  ['404', 404, 'misconfigured', 'answered 404: check the channel’s base URL'],
  ['410', 410, 'gone', 'answered 410: ask the customer whether the feed is still wanted'],
  [
    '302',
    { status: 302, headers: { location: '/' } },
    'misconfigured',
    'answered 302: check the channel’s base URL',
  ],
];

test.each(REFUSALS)(
  'an answer %s fails the delivery at once, and the next run tries again',
  async (what, reply, type, says) => {
    const slug = `refused-${what}`;
    const customer = await feed.addChannel(slug, {}, () => reply);
    await feed.push(slug, ['accounts'], 1);
    await feed.deliverNow(slug);
    const failure = await failsUnmoved(slug);
    expect(failure.type).toBe(type);
    expect(failure.message.replace(/record \S+,/, 'record *,')).toBe(`Acme Crop Insurance ${says}`);
    expect(customer.pages).toHaveLength(1);
    await recovers(slug, customer);
  },
);

test('a TLS handshake that fails is the customer’s to mend, and fails the delivery at once', async () => {
  const slug = 'refused-tls';
  const customer = await feed.addChannel(slug); // speaks HTTP only
  await feed.changeChannel(slug, { base_url: customer.baseUrl.replace('http:', 'https:') });
  await feed.push(slug, ['accounts'], 1);
  await feed.deliverNow(slug);
  const failure = await failsUnmoved(slug);
  expect(failure.type).toBe('misconfigured');
  expect(failure.message).toMatch(/TLS .*: check the channel’s base URL$/);
  await feed.changeChannel(slug, { base_url: customer.baseUrl });
  await recovers(slug, customer);
});

async function failsUnmoved(slug: string): Promise<ApplicationFailure> {
  const report = await feed.closed(slug, 'accounts', 1);
  const failure = await failureOf(slug, 'accounts', 1);
  expect(report).toMatchObject({ status: 'failed', failure: failure.type, failure_message: failure.message });
  expect((await feed.marker(slug, 'accounts')).position).toBe(report.from);
  return failure;
}

async function recovers(slug: string, customer: FakeCustomer): Promise<void> {
  customer.script = () => 200;
  await resumeChannel(feed.store, slug); // a 410 has paused it
  await feed.deliverNow(slug);
  const { status, to } = await feed.closed(slug, 'accounts', 2);
  expect(status).toBe('delivered');
  expect((await feed.marker(slug, 'accounts')).position).toBe(to);
  expect(feed.held(customer, 'accounts')).toEqual([1]);
}

test('the last wait ends with the retry budget', async () => {
  const slug = 'down-for-long';
  await startFailing(feed, slug, { times: 9, since: Date.now() - 46_500 }); // of 48 s
  // the next wait alone would take minutes
  expect(await feed.closed(slug, 'accounts', 1, 30_000)).toMatchObject({ status: 'failed' });
});

nightlyTest('a customer that confirms again is shown so during the rest of a long backlog', async () => {
  const slug = 'up-again';
  const customer = await feed.addChannel(slug, { page_size: 1, entity_types: ['accounts'] }, () => ({
    ...{ status: 503, headers: { 'retry-after': '600' } },
  }));
  await feed.push(slug, ['accounts'], 55); // an activity posts 50 at most
  await feed.deliverNow(slug);
  const state = async () => (await feed.laneOf(slug, 'accounts'))?.state;
  await eventually(async () => expect(await state()).toBe('waiting'));
  customer.script = ({ meta }) => (meta.current_page > 52 ? new Promise<never>(() => {}) : 200);
  await feed.deliverNow(slug);
  await eventually(() => expect(customer.pages.at(-1)!.meta.current_page).toBe(53));
  await eventually(async () => expect(await state()).toBe('delivering'), 10_000);
});

test('a Retry-After beyond the window holds its entity type in the next plan, and deliver now overrides it', async () => {
  const slug = 'throttled';
  const throttle = { status: 429, headers: { 'retry-after': '3600' } };
  const customer = await feed.addChannel(slug, { cadence_ms: 60_000 }, () => throttle);
  await feed.push(slug, ['accounts'], 1);
  await feed.deliverNow(slug);
  const failure = await failsUnmoved(slug);
  expect(failure.type).toBe('throttled');
  expect(failure.message).toMatch(/ answered 429 and asked for time until \d\d:\d\d:\d\d UTC: /);
  const { not_before } = await feed.marker(slug, 'accounts');
  expect(not_before!.getTime()).toBeGreaterThan(Date.now() + 3_500_000);

  await feed.signal(slug, settingsChangedSignal, { reason: 'test' });
  await eventually(async () => {
    const [run] = await runsOf(feed.client, `channel/${slug}`);
    expect(eventsOf(run!, 'EVENT_TYPE_ACTIVITY_TASK_COMPLETED').length).toBeGreaterThanOrEqual(2);
  });
  expect((await channel(slug)).run).toBe(1); // planned, and nothing started
  expect(customer.pages).toHaveLength(1);
  await recovers(slug, customer);
  expect((await feed.marker(slug, 'accounts')).not_before).toBeUndefined();
});

const channel = async (slug: string) => (await findChannel(feed.store, slug))!;

nightlyTest(
  'the retry budget runs out: the delivery fails as unavailable, and the next run tries again by itself',
  async () => {
    const customer = await budgetRunsOut;
    const { ended_at, started_at, status } = await feed.closed('impatient', 'accounts', 1);
    expect(status).toBe('failed');
    expect(ended_at!.getTime() - started_at.getTime()).toBeGreaterThanOrEqual(29_000);
    const failure = await failureOf('impatient', 'accounts', 1);
    expect(failure.type).toBe('unavailable');
    expect(failure.message).toMatch(
      /^Acme Crop Insurance answered 503 and confirmed none of the last \d+ attempts: the next run tries again from the same place$/,
    );
    customer.script = () => 200;
    await eventually(() => expect(feed.held(customer, 'accounts')).toEqual([1]));
  },
);
