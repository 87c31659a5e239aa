import type { Parts } from '../../tools/local/start-parts';
import { eventually } from '../setup/eventually';
import { ownParts } from '../setup/own-parts';
import { eventsOf, runsOf } from './read-history';
import { TestFeed } from './test-feed';
import { temporaryFolder } from '../setup/temporary-folder';
import { nightlyTest } from '../setup/cases';

// Parts of its own, to be killed.
const dir = temporaryFolder('away');
let parts: Parts;
let feed: TestFeed;

beforeAll(async () => {
  parts = await ownParts({ dir, namespace: 'unused' });
  process.env.MONGODB_URI = parts.mongodbUri;
  process.env.TEMPORAL_ADDRESS = parts.temporalAddress;
  feed = await TestFeed.start();
});

nightlyTest(
  'Temporal is killed and comes back: the loop goes on, and the next run brings what changed meanwhile',
  async () => {
    const slug = 'temporal-away';
    const customer = await feed.addChannel(slug, { cadence_ms: 2_000, entity_types: ['accounts'] });
    await feed.ensureRunning(slug, 2_000);
    await eventually(() => feed.marker(slug, 'accounts'));
    await parts.temporal.kill();
    await feed.push(slug, ['accounts'], 2);
    const reset = {
      entity_types: ['accounts' as const],
      timestamp: '2026-01-01T00:00:00.000Z',
      request_id: 'test',
    };
    expect(await feed.worker.temporal.markerReset(slug, reset)).toBe(false);
    expect(customer.pages).toEqual([]);
    await parts.temporal.start();
    await eventually(() => expect(feed.held(customer, 'accounts')).toEqual([1, 2]));
  },
);

test('MongoDB is killed while a customer reads a page and another run is due: both are tried again', async () => {
  const reader = await feed.addChannel('in-page', { page_size: 1, entity_types: ['accounts'] }, async () => {
    if (reader.pages.length === 2) await parts.mongo.kill();
    return 200;
  });
  const waiter = await feed.addChannel('in-plan', { entity_types: ['accounts'] });
  await feed.push('in-page', ['accounts'], 3);
  await feed.push('in-plan', ['accounts'], 2);
  await feed.deliverNow('in-page');
  await eventually(() => expect(reader.pages).toHaveLength(2));
  await feed.deliverNow('in-plan');
  // longer than the driver waits by itself
  for (const id of ['delivery/in-page/accounts/1', 'channel/in-plan']) {
    await eventually(async () => {
      const { raw } = await feed.client.workflow.getHandle(id).describe();
      expect(raw.pendingActivities?.[0]?.attempt ?? 0).toBeGreaterThan(1);
    });
  }
  await parts.mongo.start();

  const page = await feed.closed('in-page', 'accounts', 1);
  expect(page).toMatchObject({ status: 'delivered', pages: 3, records: 3 });
  // only the page that was under way may go out twice
  expect(reader.pages.map(({ meta }) => meta.current_page)).toEqual([1, 2, 2, 3]);
  await feed.closed('in-plan', 'accounts', 1);
  expect(feed.held(waiter, 'accounts')).toEqual([1, 2]);
  for (const id of ['delivery/in-page/accounts/1', 'channel/in-plan']) {
    const [run] = await runsOf(feed.client, id);
    const [first] = eventsOf(run!, 'EVENT_TYPE_ACTIVITY_TASK_STARTED');
    expect(first!.activityTaskStartedEventAttributes!.attempt).toBeGreaterThan(1);
  }
});
