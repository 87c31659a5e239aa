import type { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { NOTHING_YET } from '../../domain/delivery';
import type { EntityType } from '../../domain/entity-types';
import { findChannel, resumeChannel } from '../../store/feed/channels';
import { startMarker } from '../../store/feed/markers';
import { readCeiling } from '../../store/push/counters';
import { handBackSignal, settingsChangedSignal } from '../../workflows/messages';
import { eventually } from '../setup/eventually';
import type { FakeCustomer, Reply } from '../setup/fake-customer';
import { eventsOf, runsOf, summaryOf } from './read-history';
import { ALL, TestFeed } from './test-feed';
import { first, scaledTest, slowTest } from '../setup/cases';

let feed: TestFeed;
let budgetRunsOut: Promise<FakeCustomer>;
beforeAll(async () => {
  feed = await TestFeed.start();
  budgetRunsOut = startImpatient();
});
afterAll(() => feed.stop());

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

test('one entity type that fails does not hold up the others', async () => {
  const slug = 'tickets-fail';
  const customer = await feed.addChannel(slug, {}, ({ entityType }) =>
    entityType === 'tickets' ? 503 : 200,
  );
  await feed.push(slug, ALL, 2);
  await feed.deliverNow(slug);
  for (const type of ALL.filter((name) => name !== 'tickets')) {
    expect(await feed.closed(slug, type, 1)).toMatchObject({ status: 'delivered', records: 2 });
  }
  expect((await feed.report(slug, 'tickets', 1)).status).toBe('running');
  customer.script = () => 200;
  await feed.deliverNow(slug);
  expect(await feed.closed(slug, 'tickets', 1)).toMatchObject({ status: 'delivered', records: 2 });
});

const REFUSALS: [what: string, reply: Reply, failure: string, message: string][] = [
  [
    '400',
    400,
    'refused',
    'answered 400 to every record tried: ask the customer what its endpoint expects; nothing was set aside',
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

scaledTest.each(first(1, REFUSALS))(
  'an answer %s fails the delivery at once, and the next run tries again',
  async (what, reply, type, says) => {
    const slug = `refused-${what}`;
    const customer = await feed.addChannel(slug, {}, () => reply);
    await feed.push(slug, ['accounts'], 1);
    await feed.deliverNow(slug);
    const failure = await failsUnmoved(slug);
    expect(failure.type).toBe(type);
    expect(failure.message).toBe(`Acme Crop Insurance ${says}`);
    expect(customer.pages).toHaveLength(1);
    await recovers(slug, customer);
  },
);

slowTest('a TLS handshake that fails is the customer’s to mend, and fails the delivery at once', async () => {
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

test('a customer that is down is waited for, in a timer that says so; deliver now cuts the wait short', async () => {
  const slug = 'busy';
  const customer = await feed.addChannel(slug, { page_size: 1 }, ({ meta }) =>
    meta.current_page === 2 ? { status: 503, headers: { 'retry-after': '900' } } : 200,
  );
  await feed.push(slug, ['accounts'], 3);
  await feed.deliverNow(slug);
  const id = `delivery/${slug}/accounts/1`;
  const waiting = await eventually(async () => {
    const [run] = await runsOf(feed.client, id);
    const [timer] = eventsOf(run!, 'EVENT_TYPE_TIMER_STARTED');
    expect(timer).toBeDefined();
    return timer!;
  });
  expect(summaryOf(waiting)).toMatch(/^Acme Crop Insurance answered 503, next try \d\d:\d\d:\d\d UTC$/);
  expect(Number(waiting.timerStartedEventAttributes?.startToFireTimeout?.seconds)).toBe(900);
  customer.script = () => 200;
  await feed.deliverNow(slug);
  const done = { status: 'delivered', pages: 3, attempts: 4 }; // the one that was not confirmed, too
  expect(await feed.closed(slug, 'accounts', 1)).toMatchObject(done);
  expect(customer.pages[0]!.headers['x-request-id']).toBe('test'); // of the deliver now that began it
  const [run] = await runsOf(feed.client, id);
  const keys = eventsOf(run!, 'EVENT_TYPE_ACTIVITY_TASK_SCHEDULED').map(
    (event) => event.activityTaskScheduledEventAttributes?.priority?.fairnessKey ?? '',
  );
  expect(keys.slice(0, 2)).toEqual(['', slug]); // in the queue of backlogs every channel has its turn
  // the page that was not confirmed, and no other, went out twice
  expect(customer.pages.map(({ meta }) => meta.current_page)).toEqual([1, 2, 2, 3]);
});

/** A delivery of one account to a customer that has answered 503 so many times since then, and goes on so. */
async function failing(slug: string, { times, since }: { times: number; since: number }) {
  const customer = await feed.addChannel(slug, { page_size: 10 }, () => 503);
  await feed.push(slug, ['accounts'], 1);
  await startMarker(feed.store, slug, 'accounts', 0);
  const so_far = { unconfirmed: times, in_a_row: times, started: since, failing_since: since };
  const window = { entity_type: 'accounts', catch_up: false, generation: 0, from: 0, records: 1 };
  await feed.client.workflow.start('feedDelivery', {
    workflowId: `delivery/${slug}/accounts/1`,
    taskQueue: feed.worker.taskQueue,
    args: [
      {
        ...{ ...window, to: await readCeiling(feed.store, 'accounts'), read: 'range', more: false },
        ...{ channel: slug, channel_name: 'Acme', cadence_ms: 60_000, page_size: 10, unanswered: false },
        ...{ run: 1, trigger: 'schedule', spent: { set_aside: 0, probes: 0 } },
        so_far: { ...so_far, totals: NOTHING_YET, calls: times, unanswered: false },
      },
    ],
  });
  return customer;
}

test('the retry budget is counted from the first failure in a row', async () => {
  const slug = 'down-for-a-minute';
  const customer = await failing(slug, { times: 5, since: Date.now() - 60_000 });
  const ended = await feed.closed(slug, 'accounts', 1, 20_000); // before another retry budget is spent
  expect(ended).toMatchObject({ status: 'failed', attempts: 6 });
  expect(customer.pages).toHaveLength(1);
});

slowTest('the last wait ends with the retry budget', async () => {
  const slug = 'down-for-long';
  await failing(slug, { times: 9, since: Date.now() - 46_500 }); // of 48 s
  // the next wait alone would take minutes
  expect(await feed.closed(slug, 'accounts', 1, 30_000)).toMatchObject({ status: 'failed' });
});

test('deliver now that comes during an attempt counts once that has failed', async () => {
  const slug = 'asked-meanwhile';
  const later = { status: 503, headers: { 'retry-after': '900' } };
  const customer = await feed.addChannel(slug, { entity_types: ['accounts'] }, async () => {
    if (customer.pages.length > 1) return 200;
    await feed.deliverNow(slug);
    await eventually(async () => {
      const [run] = await runsOf(feed.client, `delivery/${slug}/accounts/1`);
      expect(eventsOf(run!, 'EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED')).toHaveLength(1);
    });
    return later;
  });
  await feed.push(slug, ['accounts'], 1);
  await feed.deliverNow(slug);
  const done = { status: 'delivered', attempts: 2 };
  expect(await feed.closed(slug, 'accounts', 1, 30_000)).toMatchObject(done);
});

test('a delivery that is handed back is not delivered: its report says that the rest follows', async () => {
  const slug = 'handed-back';
  const later = { status: 503, headers: { 'retry-after': '900' } };
  await feed.addChannel(slug, { entity_types: ['accounts'], page_size: 1 }, ({ meta }) =>
    meta.current_page === 1 ? 200 : later,
  );
  await feed.push(slug, ['accounts'], 2);
  await feed.deliverNow(slug);
  await eventually(async () => expect((await feed.laneOf(slug, 'accounts'))?.state).toBe('waiting'));
  const delivery = feed.delivery(slug, 'accounts', 1);
  await delivery.signal(handBackSignal);
  expect(await delivery.result()).toMatchObject({ end: 'handed_back', records: 1 });
  expect(await feed.report(slug, 'accounts', 1)).toMatchObject({
    status: 'superseded',
    failure: null,
    failure_message: expect.stringContaining('the rest follows'),
    records: 1,
  });
});

slowTest('a customer that confirms again is shown so during the rest of a long backlog', async () => {
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

slowTest(
  'a Retry-After beyond the window holds its entity type in the next plan, and deliver now overrides it',
  async () => {
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
  },
);

const channel = async (slug: string) => (await findChannel(feed.store, slug))!;

slowTest(
  'the retry budget runs out: the delivery fails as unavailable, and the next run tries again by itself',
  async () => {
    const customer = await budgetRunsOut;
    const { ended_at, started_at, status } = await feed.closed('impatient', 'accounts', 1);
    expect(status).toBe('failed');
    expect(ended_at!.getTime() - started_at.getTime()).toBeGreaterThanOrEqual(29_000);
    const failure = await failureOf('impatient', 'accounts', 1);
    expect(failure.type).toBe('unavailable');
    expect(failure.message).toMatch(
      /^Acme Crop Insurance answered 503 to the last \d+ attempts: the next run tries again from the same place$/,
    );
    customer.script = () => 200;
    await eventually(() => expect(feed.held(customer, 'accounts')).toEqual([1]));
  },
);
