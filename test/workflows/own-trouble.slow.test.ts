import { ApplicationFailure } from '@temporalio/common';
import type { Activities } from '../../activities/create-activities';
import { eventually } from '../setup/eventually';
import { startWorker } from '../setup/start-worker';
import { eventsOf, runsOf } from './read-history';
import { TestFeed } from './test-feed';
import { nightlyTest } from '../setup/cases';

let feed: TestFeed;
beforeAll(async () => {
  feed = await TestFeed.startWith((store) => startWorker(store, { around: failing }));
});

/** `deliverPages` fails for accounts, and `planRun` and `recordOutcome` for one channel each, as with a MongoDB that refuses; but at once. */
const failing = (good: Activities): Activities => ({
  ...good,
  planRun: (input) => {
    if (input.slug !== 'unplanned') return good.planRun(input);
    throw ApplicationFailure.nonRetryable('no', 'MongoServerError'); // instead of the ten minutes
  },
  recordOutcome: (outcome) => {
    if (outcome.channel !== 'unreported') return good.recordOutcome(outcome);
    throw ApplicationFailure.nonRetryable('no', 'MongoServerError');
  },
  deliverPages: (input) => {
    if (input.entity_type !== 'accounts') return good.deliverPages(input);
    // instead of the ten minutes that the retries take
    throw ApplicationFailure.create({ type: 'MongoServerError', message: 'no', nextRetryDelay: '5ms' });
  },
});

nightlyTest(
  'what our own side cannot do fails one delivery by name after its retries, with an alert; nothing waits for it',
  async () => {
    const customer = await feed.addChannel('unlucky');
    await feed.push('unlucky', ['accounts', 'tickets'], 2);
    await startLoop('unlucky');
    await eventually(() => expect(feed.held(customer, 'tickets')).toEqual([1, 2]));
    const failed = feed.delivery('unlucky', 'accounts', 1);
    await expect(failed.result()).rejects.toMatchObject({ cause: { type: 'infrastructure' } });
    const { failure } = (await failed.fetchHistory()).events!.at(-1)!.workflowExecutionFailedEventAttributes!;
    expect(failure!.message).toBe(
      'MongoDB or a worker failed for ten minutes (MongoServerError): the next run tries again from the same place; see gdx doctor',
    );
    expect(await feed.store.db.collection('alerts').find({ channel: 'unlucky' }).toArray()).toMatchObject([
      { class: 'infrastructure', state: 'open', subjects: ['accounts'] },
    ]);
    const [channel] = await feed.store.db.collection('channels').find({}).toArray();
    expect(channel!['failing']).toBeUndefined(); // it is not the customer's
    await eventually(async () => {
      const { lanes } = await feed.handle('unlucky').query<{ lanes: { state: string }[] }>('status');
      expect(lanes.map(({ state }) => state)).toEqual(['idle', 'idle', 'idle', 'idle']);
    });
  },
);

test('a channel whose plan failed is planned again within a minute', async () => {
  await feed.addChannel('unplanned');
  await startLoop('unplanned');
  const timer = await eventually(async () => {
    const [run] = await runsOf(feed.client, 'channel/unplanned');
    expect(eventsOf(run!, 'EVENT_TYPE_ACTIVITY_TASK_FAILED')).toHaveLength(1);
    const [started] = eventsOf(run!, 'EVENT_TYPE_TIMER_STARTED');
    expect(started).toBeDefined();
    return started!.timerStartedEventAttributes!;
  }, 20_000);
  expect(Number(timer.startToFireTimeout?.seconds)).toBeLessThanOrEqual(60);
});

test('what was delivered counts as delivered, also where its report cannot be closed', async () => {
  const customer = await feed.addChannel('unreported');
  await feed.push('unreported', ['tickets'], 2);
  await startLoop('unreported');
  await eventually(() => expect(feed.held(customer, 'tickets')).toEqual([1, 2]));
  const result = feed.delivery('unreported', 'tickets', 1).result();
  await expect(result).resolves.toMatchObject({ end: 'delivered', records: 2 });
});

const startLoop = (slug: string) =>
  feed.client.workflow.start('channelFeed', {
    workflowId: `channel/${slug}`,
    taskQueue: feed.worker.taskQueue,
    args: [{ slug }],
  });
