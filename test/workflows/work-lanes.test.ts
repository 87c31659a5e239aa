import pino from 'pino';
import { createReconcile, type Reconciled } from '../../activities/reconcile';
import { goBy } from '../../domain/time/elapsed';
import { setNotifyUrl } from '../../control/set-notify-url';
import { countUnsent, raiseAlert } from '../../store/alerts/alerts';
import { openSecrets } from '../../store/channels/channels';
import { markerId, noteUnconfirmed, startMarker } from '../../store/markers/markers';
import { adoptInterval } from '../../temporal/ensure-temporal';
import { createInspector } from '../../temporal/inspector';
import {
  channelWorkflowId,
  deliverNowSignal,
  RECONCILE_ID,
  settingsChangedSignal,
} from '../../workflows/messages';
import { AlertReceiver } from '../alerts/alert-receiver';
import { eventually } from '../setup/eventually';
import { untilPage } from '../setup/until-page';
import { expectGrants, expectResets, never, TROUBLE } from './lanes-in-trouble';
import { currentDetails, eventsOf, isEvent, runsOf } from './read-history';
import { TestFeed } from './test-feed';
import { slowTest, nightlyTest } from '../setup/cases';

let feed: TestFeed;
beforeAll(async () => {
  feed = await TestFeed.start();
});

describe('reconcile-channels', () => {
  const DAY_MS = 24 * 3_600_000;
  let receiver: AlertReceiver;
  let secret: string;

  beforeAll(async () => {
    receiver = await AlertReceiver.start(() => secret);
  });

  let reconciled = 0;

  /** Again where Temporal was too slow to start a workflow: what is started is counted over the passes. */
  async function reconcile(before = 0): Promise<Reconciled> {
    const pass: Reconciled = await feed.client.workflow.execute('reconcileChannels', {
      workflowId: `reconcile-${++reconciled}`,
      taskQueue: feed.worker.taskQueue,
    });
    const started = before + pass.started;
    return pass.unstarted > 0 ? reconcile(started) : { ...pass, started };
  }

  /** Temporal's list of what runs comes a little after what has happened. */
  const listed = (...slugs: string[]) =>
    eventually(async () => expect((await feed.worker.temporal.runningChannels()).sort()).toEqual(slugs));
  const channels = () => feed.store.db.collection<{ _id: string }>('channels');
  const statusOf = async (slug: string) => (await feed.handle(slug).describe()).status.name;

  const told = {
    channels: 3,
    started: 0,
    unstarted: 0,
    stopped: 0,
    left: 0,
    why_left: null,
    unsent: 0,
    untold: 0,
  };

  slowTest(
    'the reconciler starts what is missing, stops what is too much, and leaves the healthy alone',
    async () => {
      const before = ['healthy', 'extra', 'extra-too', 'terminated'];
      for (const slug of [...before, 'never-started']) await feed.addChannel(slug);
      for (const slug of before) await feed.ensureRunning(slug, DAY_MS);
      await feed.handle('terminated').terminate();
      await channels().deleteMany({ _id: { $in: ['extra', 'extra-too'] } });
      const { runId } = await feed.handle('healthy').describe();
      // an operator's tool may do the same beside it
      await feed.ensureRunning('healthy', DAY_MS);
      expect((await feed.handle('healthy').describe()).runId).toBe(runId);
      await listed('extra', 'extra-too', 'healthy');

      // never more than a tenth of what runs is stopped at once
      const why_left = expect.stringMatching(/^at most a tenth/) as string;
      expect(await reconcile()).toEqual({ ...told, started: 2, stopped: 1, left: 1, why_left });
      expect(await currentDetails(feed.client, `reconcile-${reconciled}`)).toMatch(
        /^3 channels, 2 started, 1 stopped; 1 left that have no channel: at most a tenth/,
      );
      for (const slug of ['healthy', 'terminated', 'never-started'])
        expect(await statusOf(slug)).toBe('RUNNING');
      await eventually(async () =>
        expect((await Promise.all(['extra', 'extra-too'].map(statusOf))).sort()).toEqual([
          'CANCELLED',
          'RUNNING',
        ]),
      );
      await eventually(async () => expect(await feed.worker.temporal.runningChannels()).toHaveLength(4));
      expect(await reconcile()).toEqual({ ...told, stopped: 1 });
      await listed('healthy', 'never-started', 'terminated');
      expect(await reconcile()).toEqual(told);
      expect((await feed.handle('healthy').describe()).runId).toBe(runId);
    },
  );

  test('a channel that is added while it looks is left alone', async () => {
    const { temporal } = feed.worker;
    const runningChannels = async () => {
      await feed.addChannel('added');
      await feed.ensureRunning('added', DAY_MS);
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
    goBy(() => Date.now());
    try {
      expect(await workers()).toEqual([0, 0, 0]);
    } finally {
      clock.mockRestore();
      goBy(() => feed.store.databaseClock.now());
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

  slowTest('the reconciler tells a customer what nobody has told them yet', async () => {
    await feed.addChannel('told');
    const channel = await feed.channel('told');
    secret = (await openSecrets(feed.store, channel, new Date())).signingSecrets[0]!;
    const pages = { production: false, outboundAllow: [], outboundPorts: [], publicUrl: '' };
    const asker = { by: 'Acme', via: '/customer', reason: '', request_id: 'r', action_id: 'told' } as const;
    const parts = { store: feed.store, temporal: {} as never, pages };
    await setNotifyUrl.run(parts, channel, { notify_url: receiver.url.split('?')[0]! }, asker);
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

  slowTest(
    'a channel stopped in mid delivery ends with its deliveries, without a failed workflow task',
    async () => {
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
      await channels().deleteOne({ _id: slug });
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
    },
  );
});

describe('work-lanes', () => {
  test('a reset of tickets leaves while accounts are waited for', () =>
    expectResets(feed, 'reset', TROUBLE['are waited for'], 1));

  slowTest('what a farmer shares leaves while accounts are waited for', () =>
    expectGrants(feed, 'grant', TROUBLE['are waited for'], 1),
  );

  slowTest('a reset of the type that hangs gives the hanging request up', async () => {
    const customer = await feed.addChannel('hangs', {}, never);
    await feed.push('hangs', ['tickets'], 3);
    await untilPage(customer, 'tickets', () => feed.deliverNow('hangs'));
    customer.script = () => 200;
    const took = await untilPage(customer, 'tickets', () => feed.reset('hangs', 'tickets'));
    expect(took).toBeLessThan(25_000); // the request alone would hang for 30 s
    expect(await feed.closed('hangs', 'tickets', 1)).toMatchObject({ status: 'superseded' });
    expect(await feed.closed('hangs', 'tickets', 2)).toMatchObject({ status: 'delivered', records: 3 });
    // the delivery ended after its request had, so that the next one began after it
    const [run] = await runsOf(feed.client, 'delivery/hangs/tickets/1');
    const order = run!.events.filter(
      (event) =>
        isEvent(event, 'EVENT_TYPE_ACTIVITY_TASK_CANCELED') ||
        isEvent(event, 'EVENT_TYPE_ACTIVITY_TASK_SCHEDULED'),
    );
    expect(order.map((event) => isEvent(event, 'EVENT_TYPE_ACTIVITY_TASK_CANCELED'))).toEqual([
      false,
      true,
      false,
    ]);
  });

  /** The customer has asked for an hour before further accounts. */
  async function askForTime(slug: string): Promise<Date> {
    const notBefore = new Date(Date.now() + 3_600_000);
    await startMarker(feed.store, slug, 'accounts', 0);
    await noteUnconfirmed(feed.store, markerId(slug, 'accounts'), {
      not_before: notBefore,
      unanswered: false,
    });
    return notBefore;
  }

  test('a type whose customer has asked for time is held back, and not planned again and again', async () => {
    const slug = 'asked-for-time';
    await feed.addChannel(slug, { entity_types: ['accounts'] });
    await feed.push(slug, ['accounts'], 1);
    const notBefore = await askForTime(slug);
    await feed.signal(slug, settingsChangedSignal, { reason: 'test' });
    await eventually(async () => {
      const lane = await feed.laneOf(slug, 'accounts');
      expect(lane?.state).toBe('held');
      expect(Math.abs(Date.parse(lane!.until!) - notBefore.getTime())).toBeLessThan(60_000);
    });
  });

  nightlyTest(
    'deliver now of one type leaves another to the time that was asked for, and its own is over with it',
    async () => {
      const slug = 'one-asked-for-time';
      const customer = await feed.addChannel(slug, { entity_types: ['accounts', 'tickets'] });
      await feed.push(slug, ['accounts', 'tickets'], 1);
      await askForTime(slug);
      const accounts = async () => (await feed.laneOf(slug, 'accounts'))?.state;
      // the first signal of a channel finds every type due
      await feed.signal(slug, deliverNowSignal, { request_id: 'test', entity_types: ['tickets'] });
      await eventually(() => expect(feed.held(customer, 'tickets')).toEqual([1]));
      await eventually(async () => expect(await accounts()).toBe('held'));
      expect(feed.held(customer, 'accounts')).toEqual([]);
      await feed.signal(slug, deliverNowSignal, { request_id: 'test', entity_types: ['accounts'] });
      await eventually(() => expect(feed.held(customer, 'accounts')).toEqual([1]));
      await eventually(async () => expect(await accounts()).toBe('idle'));
    },
  );
});
