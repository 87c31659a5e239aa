import pino from 'pino';
import { adoptInterval } from '../../temporal/ensure-temporal';
import { createInspector } from '../../temporal/inspector';
import { channelWorkflowId, RECONCILE_ID } from '../../workflows/messages';
import { createReconcile, type Reconciled } from '../../activities/reconcile';
import { setNotifyUrl } from '../../control/set-notify-url';
import { countUnsent } from '../../store/feed/alert-outbox';
import { raiseAlert } from '../../store/feed/alerts';
import { openSecrets } from '../../store/feed/channels';
import { AlertReceiver } from '../alerts/alert-receiver';
import { eventually } from '../setup/eventually';
import { eventsOf, runsOf } from './read-history';
import { TestFeed } from './test-feed';

const DAY_MS = 24 * 3_600_000;

let feed: TestFeed;
let receiver: AlertReceiver;
let secret: string;
beforeAll(async () => {
  feed = await TestFeed.start();
  receiver = await AlertReceiver.start(() => secret);
});
afterAll(async () => {
  await receiver.stop();
  await feed.stop();
});

let reconciled = 0;
function reconcile(): Promise<Reconciled> {
  return feed.client.workflow.execute('reconcileChannels', {
    workflowId: `reconcile-${++reconciled}`,
    taskQueue: feed.worker.taskQueue,
  });
}

/** Temporal's list of what runs comes a little after what has happened. */
const listed = (...slugs: string[]) =>
  eventually(async () => expect((await feed.worker.temporal.runningChannels()).sort()).toEqual(slugs));

const statusOf = async (slug: string) => (await feed.handle(slug).describe()).status.name;

test('the reconciler starts what is missing, stops what is too much, and leaves the healthy alone', async () => {
  for (const slug of ['healthy', 'extra', 'terminated', 'never-started']) await feed.addChannel(slug);
  for (const slug of ['healthy', 'extra', 'terminated'])
    await feed.worker.temporal.ensureRunning(slug, DAY_MS);
  await feed.handle('terminated').terminate();
  await feed.store.db.collection<{ _id: string }>('channels').deleteOne({ _id: 'extra' });
  const { runId } = await feed.handle('healthy').describe();
  // an operator's tool may do the same beside it
  expect(await feed.worker.temporal.ensureRunning('healthy', DAY_MS)).toBe(true);
  expect((await feed.handle('healthy').describe()).runId).toBe(runId);
  await listed('extra', 'healthy');

  expect(await reconcile()).toEqual({
    channels: 3,
    started: 2,
    stopped: 1,
    left: 0,
    why_left: null,
    unsent: 0,
    untold: 0,
  });
  await eventually(async () => expect(await statusOf('extra')).toBe('CANCELLED'));
  for (const slug of ['healthy', 'terminated', 'never-started']) expect(await statusOf(slug)).toBe('RUNNING');
  expect((await feed.handle('healthy').describe()).runId).toBe(runId);

  await listed('healthy', 'never-started', 'terminated');
  expect(await reconcile()).toEqual({
    channels: 3,
    started: 0,
    stopped: 0,
    left: 0,
    why_left: null,
    unsent: 0,
    untold: 0,
  });
  expect((await feed.handle('healthy').describe()).runId).toBe(runId);
});

test('a channel that is added while it looks is left alone', async () => {
  const { temporal } = feed.worker;
  const runningChannels = async () => {
    await feed.addChannel('added');
    await temporal.ensureRunning('added', DAY_MS);
    return eventually(async () => {
      const running = await temporal.runningChannels();
      expect(running).toContain('added');
      return running;
    });
  };
  const log = pino({ level: 'silent' });
  const look = createReconcile({ store: feed.store, temporal: { ...temporal, runningChannels }, log });
  expect(await look()).toMatchObject({ stopped: 0 });
});

test('a worker that has not polled for minutes is not counted, although Temporal still lists it', async () => {
  const { client, taskQueue } = feed.worker;
  const { namespace } = client.options;
  const workers = async () =>
    (await createInspector(client, { namespace, taskQueue }).pollers()).map((one) => one.workers);
  await eventually(async () => expect(await workers()).toEqual([1, 1, 1]));
  const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 3 * 60_000);
  try {
    expect(await workers()).toEqual([0, 0, 0]);
  } finally {
    clock.mockRestore();
  }
});

test('another interval of the schedule is taken over, and the same one is left alone', async () => {
  const schedule = feed.client.schedule.getHandle(RECONCILE_ID);
  const seen = async () => {
    const { spec, action, info } = await schedule.describe();
    const { workflowId, taskQueue } = action;
    return { every: spec.intervals![0]!.every, runs: { workflowId, taskQueue }, at: info.lastUpdatedAt };
  };
  const before = await seen();
  await adoptInterval(feed.client, 5 * 60_000);
  const after = await seen();
  expect(after).toMatchObject({ every: 5 * 60_000, runs: before.runs });
  await adoptInterval(feed.client, 5 * 60_000);
  expect(await seen()).toEqual(after);
});

test('the reconciler tells a customer what nobody has told them yet', async () => {
  await feed.addChannel('told');
  const channel = await feed.channel('told');
  secret = (await openSecrets(feed.store, channel, new Date())).signingSecrets[0]!;
  const asker = { by: 'Acme', via: '/customer', reason: '', request_id: 'r', action_id: 'told' } as const;
  await setNotifyUrl(feed, channel, receiver.url.split('?')[0]!, asker);
  expect(await reconcile()).toMatchObject({ untold: 1 });
  expect(receiver.received).toMatchObject([{ type: 'notifications.begun', data: { channel: 'told' } }]);
  expect(await reconcile()).toMatchObject({ untold: 0 });
});

test('the reconciler sends the alerts that no delivery has sent', async () => {
  await raiseAlert(
    feed.store,
    { channel: 'acme', class: 'stale', subject: undefined, message: '' },
    new Date(),
  );
  expect(await reconcile()).toMatchObject({ unsent: 1 });
  expect(await countUnsent(feed.store)).toBe(0);
});

test('what the reconciler starts waits for its turn on the grid', async () => {
  await feed.addChannel('waits');
  await reconcile();
  await eventually(async () => {
    const [run] = await runsOf(feed.client, channelWorkflowId('waits'));
    expect(eventsOf(run!, 'EVENT_TYPE_TIMER_STARTED')).toHaveLength(1);
    expect(eventsOf(run!, 'EVENT_TYPE_ACTIVITY_TASK_SCHEDULED')).toHaveLength(0);
  });
});

test('a channel stopped in mid delivery ends with its deliveries, without a failed workflow task', async () => {
  const slug = 'stopped';
  const customer = await feed.addChannel(slug, {}, () => ({
    status: 503,
    headers: { 'retry-after': '600' },
  }));
  await feed.push(slug, ['accounts', 'contracts'], 1);
  await feed.deliverNow(slug);
  await eventually(() => expect(customer.pages).toHaveLength(2));
  // It waits for its next try once it has told the channel of the first.
  for (const type of ['accounts', 'contracts']) {
    await eventually(async () => {
      const [run] = await runsOf(feed.client, `delivery/${slug}/${type}/1`);
      expect(eventsOf(run!, 'EVENT_TYPE_TIMER_STARTED')).toHaveLength(1);
    });
  }
  await eventually(async () => expect(await feed.worker.temporal.runningChannels()).toContain(slug));
  await feed.store.db.collection<{ _id: string }>('channels').deleteOne({ _id: slug });
  await reconcile();
  expect(await feed.closed(slug, 'accounts', 1)).toMatchObject({ status: 'superseded' });
  expect(await feed.closed(slug, 'contracts', 1)).toMatchObject({ status: 'superseded' });
  for (const id of [channelWorkflowId(slug), `delivery/${slug}/accounts/1`]) {
    const run = await eventually(async () => {
      const [found] = await runsOf(feed.client, id);
      expect(found!.status).toBe('CANCELLED');
      return found!;
    });
    expect(eventsOf(run, 'EVENT_TYPE_WORKFLOW_TASK_FAILED')).toHaveLength(0);
  }
});
