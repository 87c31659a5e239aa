import { findChannel, resumeChannel } from '../../store/channels/channels';
import { listAlerts } from '../../store/alerts/alerts';
import { settingsChangedSignal } from '../../workflows/messages';
import { eventually } from '../setup/eventually';
import { startWorker } from '../setup/start-worker';
import { eventsOf, runsOf } from '../workflows/read-history';
import { TestFeed } from '../workflows/test-feed';
import { AlertReceiver } from './alert-receiver';

const SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;

let receiver: AlertReceiver;
let feed: TestFeed;
beforeAll(async () => {
  receiver = await AlertReceiver.start(() => SECRET);
  const alertWebhook = { url: receiver.url, secret: SECRET };
  feed = await TestFeed.startWith((store) => startWorker(store, { alertWebhook }));
});

const told = (slug: string) =>
  receiver.received
    .filter(({ data }) => data.channel === slug)
    .map(({ type, data }) => `${data.class} ${type}`);

let reconciled = 0;
const reconcile = () =>
  feed.client.workflow.execute('reconcileChannels', {
    workflowId: `reconcile-by-hand-${++reconciled}`,
    taskQueue: feed.worker.taskQueue,
  });

/** One run that closes. */
async function run(slug: string, number: number): Promise<string> {
  await feed.deliverNow(slug);
  return (await feed.closed(slug, 'accounts', number)).status;
}

test('a 401 is told once, over two runs; once it is mended that is told too', async () => {
  const slug = 'refuses';
  const customer = await feed.addChannel(slug, {}, () => 401);
  await feed.push(slug, ['accounts'], 1);
  expect(await run(slug, 1)).toBe('failed');
  await eventually(() => expect(told(slug)).toEqual(['unauthorized alert.opened']));
  expect(receiver.received[0]!.data.message).toBe(
    'Acme Crop Insurance answered 401: check the channel’s authorization',
  );
  expect(await run(slug, 2)).toBe('failed');
  customer.script = () => 200;
  expect(await run(slug, 3)).toBe('delivered');
  await eventually(() =>
    expect(told(slug)).toEqual(['unauthorized alert.opened', 'unauthorized alert.resolved']),
  );
  expect(receiver.refused).toEqual([]);
  expect((await findChannel(feed.store, slug))!.failing).toBeUndefined();

  const sent = await Promise.all([1, 2, 3].map((number) => sentBy(`delivery/${slug}/accounts/${number}`)));
  expect(sent).toEqual([1, 0, 1]); // the second had nothing to tell
});

async function sentBy(workflowId: string): Promise<number> {
  const [history] = await runsOf(feed.client, workflowId);
  return eventsOf(history!, 'EVENT_TYPE_ACTIVITY_TASK_SCHEDULED').filter(
    (event) => event.activityTaskScheduledEventAttributes?.activityType?.name === 'sendAlert',
  ).length;
}

test('410 pauses the channel; nothing is lost; resumed, it delivers and that is told', async () => {
  const slug = 'gone';
  const customer = await feed.addChannel(slug, {}, () => 410);
  await feed.push(slug, ['accounts'], 2);
  expect(await run(slug, 1)).toBe('failed');
  await eventually(() => expect(told(slug)).toEqual(['gone alert.opened', 'gone alert.paused']));
  expect((await findChannel(feed.store, slug))!.state).toBe('paused');
  // No other signal: the pause itself updates the workflow.
  await eventually(async () =>
    expect(await feed.handle(slug).query('status')).toMatchObject({ state: 'paused' }),
  );
  await feed.deliverNow(slug); // in vain
  customer.script = () => 200;
  await resumeChannel(feed.store, slug);
  await feed.signal(slug, settingsChangedSignal, { reason: 'resumed' });
  expect(await feed.closed(slug, 'accounts', 2)).toMatchObject({ status: 'delivered', records: 2 });
  await eventually(() => expect(told(slug).at(-1)).toBe('gone alert.resolved'));
  expect(customer.pages).toHaveLength(2);
});

test('a webhook that is down holds up no delivery; the reconciler tells it later, and what is stale', async () => {
  const slug = 'untold';
  await feed.addChannel(slug, {}, () => 404);
  await feed.push(slug, ['accounts'], 1);
  await receiver.stop();
  expect(await run(slug, 1)).toBe('failed');
  const failure = feed.delivery(slug, 'accounts', 1).result();
  await expect(failure).rejects.toThrow();
  expect(told(slug)).toEqual([]);
  expect(await listAlerts(feed.store, { channel: slug })).toMatchObject([
    { class: 'misconfigured', unsent: 1 },
  ]);

  await receiver.listen();
  const week = new Date(Date.now() - 7 * 24 * 3_600_000);
  const channels = feed.store.db.collection<{ _id: string }>('channels');
  await feed.addChannel('silent'); // stale, and without a failure
  await channels.updateOne({ _id: 'silent' }, { $set: { created_at: week, fresh_at: week } });
  await feed.store.db.collection('alerts').updateMany({}, { $set: { claimed_at: new Date(0) } }); // a minute later
  await eventually(async () => {
    await reconcile();
    expect([...told(slug), ...told('silent')]).toEqual(['misconfigured alert.opened', 'stale alert.opened']);
  });
});
