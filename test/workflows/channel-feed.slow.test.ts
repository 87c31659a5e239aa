import { nextDue } from '../../domain/deliveries/cadence';
import { pauseChannel, resumeChannel } from '../../store/channels/channels';
import { type ChannelStatus, settingsChangedSignal } from '../../workflows/messages';
import { eventually } from '../setup/eventually';
import { eventsOf, runsOf } from './read-history';
import { ALL, TestFeed } from './test-feed';
import { nightlyTest } from '../setup/cases';

let feed: TestFeed;
beforeAll(async () => {
  feed = await TestFeed.start();
});

test('an idle channel wakes at its cadence, posts nothing and costs at most 12 events a cycle', async () => {
  const customer = await feed.addChannel('idle', { cadence_ms: 1_000 });
  await feed.ensureRunning('idle', 1_000);
  const waits = await eventually(async () => {
    const [run] = await runsOf(feed.client, 'channel/idle');
    const timers = eventsOf(run!, 'EVENT_TYPE_TIMER_STARTED').map(({ eventId }) => Number(eventId));
    expect(timers.length).toBeGreaterThanOrEqual(4);
    return timers;
  });
  const costs = waits.slice(1).map((wait, index) => wait - waits[index]!);
  expect(Math.min(...costs)).toBeLessThanOrEqual(12); // a task that a loaded machine had to repeat costs more
  expect(customer.pages).toEqual([]);
});

/** Asked before there is anything to send: it is still to come. */
async function nextTick(slug: string): Promise<number> {
  return eventually(async () => {
    const { state, next_due } = await feed.handle(slug).query<ChannelStatus>('status');
    expect(state).toBe('waiting'); // or a point that has come is still being planned or delivered
    const due = Date.parse(next_due!);
    expect(due).toBeGreaterThan(Date.now());
    expect(due).toBe(nextDue(slug, 2_000, due - 1));
    return due;
  });
}

test('a channel is due on its own grid, and a change is delivered at the next point of it', async () => {
  const customer = await feed.addChannel('on-grid', { cadence_ms: 2_000, entity_types: ['accounts'] });
  await feed.ensureRunning('on-grid', 2_000);
  await eventually(() => expect(feed.marker('on-grid', 'accounts')).resolves.toBeDefined());
  for (const id of [101, 102]) {
    const due = await nextTick('on-grid');
    await feed.push('on-grid', ['accounts'], 1, id);
    const page = await eventually(() => {
      const found = customer.pages.find(({ records }) =>
        records.some((record) => record.remote_id === `${id}`),
      );
      expect(found).toBeDefined();
      return found!;
    });
    expect(page.at).toBeGreaterThanOrEqual(due - 5);
  }
});

nightlyTest('a long history begins anew once what is open has ended, and cancels none of it', async () => {
  const slug = 'long-history';
  const customer = await feed.addWaitingChannel(slug);
  const { runId } = await feed.handle(slug).describe();
  const signals = Array.from({ length: 120 }, () =>
    feed.signal(slug, settingsChangedSignal, { reason: 'test' }),
  );
  await Promise.all(signals);
  await eventually(async () =>
    expect((await feed.handle(slug).describe()).historyLength).toBeGreaterThan(130),
  );
  expect((await feed.laneOf(slug, 'accounts'))?.state).toBe('waiting');
  expect((await feed.handle(slug).describe()).runId).toBe(runId);
  customer.script = () => 200;
  await feed.deliverNow(slug);
  expect(await feed.closed(slug, 'accounts', 1)).toMatchObject({ status: 'delivered' });
  await eventually(async () => expect((await feed.handle(slug).describe()).runId).not.toBe(runId), 10_000);
});

test('a delivery that is still open from before is left alone, and its window is planned anew', async () => {
  const customer = await feed.addChannel('still-open');
  await feed.push('still-open', ALL, 1);
  // the id that the first run will want, held by a delivery that no worker takes up
  const open = await feed.client.workflow.start('feedDelivery', {
    workflowId: 'delivery/still-open/contracts/1',
    taskQueue: 'nobody-listens',
    args: [{}],
  });
  await feed.deliverNow('still-open');
  await feed.closed('still-open', 'settlements', 1);
  await feed.closed('still-open', 'contracts', 2);
  expect((await open.describe()).status.name).toBe('RUNNING');
  expect(feed.held(customer, 'contracts')).toEqual([1]);
  await open.terminate();
});

test('a channel is failing while a page is not confirmed and after it was refused, then paused, then healthy', async () => {
  const slug = 'ailing';
  const has = (health: string) =>
    eventually(async () => expect(await feed.healthOf(slug)).toBe(health), 10_000);
  const lane = async () => (await feed.laneOf(slug, 'accounts'))?.state;
  const later = { status: 503, headers: { 'retry-after': '600' } };
  const customer = await feed.addChannel(slug, { entity_types: ['accounts'] }, () => later);
  await feed.push(slug, ['accounts'], 1);
  await feed.deliverNow(slug);
  await eventually(async () => expect(await lane()).toBe('waiting'));
  await has('failing');
  customer.script = () => 401;
  await feed.deliverNow(slug);
  // the first delivery tries at once, and what was asked for meanwhile is planned after it
  for (const run of [1, 2]) await feed.closed(slug, 'accounts', run);
  await eventually(async () => expect(await lane()).toBe('idle'));
  expect(await feed.healthOf(slug)).toBe('failing');
  await pauseChannel(feed.store, slug, 'their new system');
  await feed.signal(slug, settingsChangedSignal, { reason: 'paused' });
  await has('paused');
  customer.script = () => 200;
  await resumeChannel(feed.store, slug);
  await feed.signal(slug, settingsChangedSignal, { reason: 'resumed' });
  await feed.deliverNow(slug); // the customer's ten minutes are not over
  await has('healthy');
  // what the channel does not carry is not shown
  const { lanes } = await feed.handle(slug).query<ChannelStatus>('status');
  expect(lanes.map(({ entity_type }) => entity_type)).toEqual(['accounts']);
});
