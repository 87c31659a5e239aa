import type { DeliverInput } from '../../domain/deliveries/delivery';
import { markerId, noteUnconfirmed, startMarker } from '../../store/markers/markers';
import { backlogQueue, unansweredQueue } from '../../workflows/messages';
import { decode, eventsOf, runsOf } from './read-history';
import { TestFeed } from './test-feed';

let feed: TestFeed;
beforeAll(async () => {
  feed = await TestFeed.start();
});

/** A delivery's activities, in order. */
async function activitiesOf(slug: string) {
  const runs = await runsOf(feed.client, `delivery/${slug}/accounts/1`);
  return runs
    .flatMap((run) => eventsOf(run, 'EVENT_TYPE_ACTIVITY_TASK_SCHEDULED'))
    .map(({ activityTaskScheduledEventAttributes: scheduled }) => scheduled!)
    .filter(({ activityType }) => activityType?.name === 'deliverPages');
}

const queuesOf = async (slug: string) => (await activitiesOf(slug)).map(({ taskQueue }) => taskQueue?.name);

test('a long backlog leaves the queue of the others after its first share', async () => {
  const customer = await feed.addChannel('long', { page_size: 1 });
  await feed.push('long', ['accounts'], 101);
  await feed.deliverNow('long');
  expect(await feed.closed('long', 'accounts', 1)).toMatchObject({ status: 'delivered', pages: 101 });
  expect(customer.pages).toHaveLength(101);
  const { taskQueue } = feed.worker;
  expect(await queuesOf('long')).toEqual([taskQueue, backlogQueue(taskQueue), backlogQueue(taskQueue)]);
});

test('one that gave no answer is tried again in a queue and a budget of bytes of their own', async () => {
  let answers = 0;
  await feed.addChannel('silent', {}, () => (answers++ === 0 ? 'hang-up' : 200));
  await feed.push('silent', ['accounts'], 1);
  await feed.deliverNow('silent');
  await feed.closed('silent', 'accounts', 1);
  const { taskQueue } = feed.worker;
  expect(await queuesOf('silent')).toEqual([taskQueue, unansweredQueue(taskQueue)]);
  const inputs = (await activitiesOf('silent')).map(({ input }) =>
    decode<DeliverInput>(input?.payloads?.[0]),
  );
  expect(inputs.map((input) => input?.unanswered)).toEqual([false, true]);
});

test('known not to answer, it begins there', async () => {
  await feed.addChannel('known', {});
  await feed.push('known', ['accounts'], 1);
  await startMarker(feed.store, 'known', 'accounts', 0);
  await noteUnconfirmed(feed.store, markerId('known', 'accounts'), {
    unanswered: true,
  });
  await feed.deliverNow('known');
  await feed.closed('known', 'accounts', 1);
  expect(await queuesOf('known')).toEqual([unansweredQueue(feed.worker.taskQueue)]);
});

test('one that answered 503 is tried again in the queue of backlogs', async () => {
  let answers = 0;
  await feed.addChannel('slow', {}, () => (answers++ === 0 ? 503 : 200));
  await feed.push('slow', ['accounts'], 1);
  await feed.deliverNow('slow');
  await feed.closed('slow', 'accounts', 1);
  const { taskQueue } = feed.worker;
  expect(await queuesOf('slow')).toEqual([taskQueue, backlogQueue(taskQueue)]);
});
