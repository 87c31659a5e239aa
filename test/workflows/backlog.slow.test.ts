import { backlogQueue } from '../../workflows/messages';
import { eventsOf, runsOf } from './read-history';
import { TestFeed } from './test-feed';

let feed: TestFeed;
beforeAll(async () => {
  feed = await TestFeed.start();
});
afterAll(() => feed.stop());

/** The queues in which a delivery's activities waited, in order. */
async function queuesOf(slug: string): Promise<(string | null | undefined)[]> {
  const runs = await runsOf(feed.client, `delivery/${slug}/accounts/1`);
  return runs
    .flatMap((run) => eventsOf(run, 'EVENT_TYPE_ACTIVITY_TASK_SCHEDULED'))
    .map(({ activityTaskScheduledEventAttributes: scheduled }) => scheduled!)
    .filter(({ activityType }) => activityType?.name === 'deliverPages')
    .map(({ taskQueue }) => taskQueue?.name);
}

test('a long backlog leaves the queue of the others after its first share', async () => {
  const customer = await feed.addChannel('long', { page_size: 1 });
  await feed.push('long', ['accounts'], 101);
  await feed.deliverNow('long');
  expect(await feed.closed('long', 'accounts', 1)).toMatchObject({ status: 'delivered', pages: 101 });
  expect(customer.pages).toHaveLength(101);
  const { taskQueue } = feed.worker;
  expect(await queuesOf('long')).toEqual([taskQueue, backlogQueue(taskQueue), backlogQueue(taskQueue)]);
});

test('a customer that did not answer is tried again in the queue of the slow', async () => {
  let answers = 0;
  await feed.addChannel('slow', {}, () => (answers++ === 0 ? 503 : 200));
  await feed.push('slow', ['accounts'], 1);
  await feed.deliverNow('slow');
  await feed.closed('slow', 'accounts', 1);
  const { taskQueue } = feed.worker;
  expect(await queuesOf('slow')).toEqual([taskQueue, backlogQueue(taskQueue)]);
});
