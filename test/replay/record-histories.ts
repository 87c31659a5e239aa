import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { findChannel, pauseChannel } from '../../store/channels/channels';
import { readCeiling } from '../../store/records/counters';
import { startMarker } from '../../store/markers/markers';
import { resetChannelMarker } from '../../store/markers/reset-channel-marker';
import { type DeliveryInput, newState } from '../../workflows/delivery-state';
import {
  handBackSignal,
  markerResetSignal,
  settingsChangedSignal,
  subscriptionsChangedSignal,
} from '../../workflows/messages';
import { farmerOf } from '../../store/consent/subscriptions';
import { eventually } from '../setup/eventually';
import type { FakeCustomer } from '../setup/fake-customer';
import { grantAccounts } from '../setup/share-accounts';
import { eventsOf, isEvent, type RecordedRun, runsOf } from '../workflows/read-history';
import { ALL, TestFeed } from '../workflows/test-feed';
import { HISTORIES, type HistoryName } from './histories';

// Not a test: `npm run proof -- histories` plays every outcome on the real parts and keeps its history (README.md).
jest.setTimeout(120_000);

let feed: TestFeed;
beforeAll(async () => {
  feed = await TestFeed.start();
});

test('channels', async () => {
  await feed.addChannel('idle', { cadence_ms: 1_000 });
  await feed.ensureRunning('idle', 1_000);
  await eventually(() => keep('channelFeed.idle', 'channel/idle', (run) => timers(run) >= 3));

  const customer = await feed.addChannel('acme', {}, ({ entityType }) =>
    entityType === 'contracts' ? { status: 503, headers: { 'retry-after': '600' } } : 200,
  );
  await feed.push('acme', ALL, 1);
  await feed.deliverNow('acme');
  await feed.closed('acme', 'settlements', 1);
  await keep('channelFeed.stalled', 'channel/acme', (run) => childrenOf(run) === 4);
  customer.script = () => 200;
  await feed.deliverNow('acme');
  await feed.closed('acme', 'contracts', 1);
  await eventually(() => keep('channelFeed.deliveries', 'channel/acme', isAtRest));
  await eventually(() => keep('feedDelivery.retried', 'delivery/acme/contracts/1', ended('COMPLETED')));

  await pauseChannel(feed.store, 'acme', 'their new system');
  await feed.signal('acme', settingsChangedSignal, { reason: 'paused' });
  await eventually(async () => {
    expect(await feed.handle('acme').query('status')).toMatchObject({ state: 'paused' });
    await keep('channelFeed.paused', 'channel/acme', isAtRest);
  });
  await eventually(async () => {
    await feed.signal('acme', settingsChangedSignal, { reason: 'again' });
    await keep('channelFeed.continued', 'channel/acme', ended('CONTINUED_AS_NEW'));
  });

  await feed.store.db.collection<{ _id: string }>('channels').deleteOne({ _id: 'acme' });
  await feed.deliverNow('acme');
  await eventually(() => keep('channelFeed.gone', 'channel/acme', ended('COMPLETED'), -1));
});

test('deliveries', async () => {
  await deliver('plain', () => 200);
  await eventually(() => keep('feedDelivery.delivered', 'delivery/plain/accounts/1', ended('COMPLETED')));

  await feed.addChannel('long', { page_size: 1, entity_types: ['accounts'] });
  await feed.push('long', ['accounts'], 52); // one activity posts 50 pages
  await feed.deliverNow('long');
  await eventually(() => keep('feedDelivery.long', 'delivery/long/accounts/1', ended('COMPLETED')));

  await deliver('failed', () => 401);
  await eventually(() => keep('feedDelivery.failed', 'delivery/failed/accounts/1', ended('FAILED')));

  let resets = 0;
  await deliver('superseded', async () => {
    if (++resets > 1) return 200;
    const channel = (await findChannel(feed.store, 'superseded'))!;
    await resetChannelMarker(feed.store, channel, 'accounts', new Date(0));
    return 200;
  });
  await eventually(() =>
    keep('feedDelivery.superseded', 'delivery/superseded/accounts/1', ended('COMPLETED')),
  );

  await deliver('resized', async () => {
    await feed.changeChannel('resized', { page_size: 3 });
    return 200;
  });
  await eventually(() => keep('feedDelivery.resized', 'delivery/resized/accounts/1', ended('COMPLETED')));

  await deliver('paused', async () => {
    await pauseChannel(feed.store, 'paused', 'their new system');
    return 200;
  });
  await eventually(() => keep('feedDelivery.paused', 'delivery/paused/accounts/1', ended('COMPLETED')));

  const throttle = { status: 429, headers: { 'retry-after': '3600' } };
  await feed.addChannel('held', { cadence_ms: 60_000, entity_types: ['accounts'] }, () => throttle);
  await feed.push('held', ['accounts'], 1);
  await feed.deliverNow('held');
  await feed.closed('held', 'accounts', 1);
  await eventually(() => keep('channelFeed.held', 'channel/held', (run) => timers(run) === 1));

  const waiting = await deliver('stopped', () => ({ status: 503, headers: { 'retry-after': '600' } }));
  await eventually(() => expect(waiting.pages).toHaveLength(1));
  await feed.worker.temporal.stop('stopped');
  await eventually(() => keep('feedDelivery.cancelled', 'delivery/stopped/accounts/1', ended('CANCELLED')));
  await keep('channelFeed.cancelled', 'channel/stopped', ended('CANCELLED'));
});

test('deliveries that are told to end', async () => {
  const later = { status: 503, headers: { 'retry-after': '600' } };
  for (const slug of ['overtaken', 'handed-back']) {
    const customer = await deliver(slug, () => later);
    await eventually(() => expect(customer.pages).toHaveLength(1));
    await eventually(async () => {
      const [run] = await runsOf(feed.client, `delivery/${slug}/accounts/1`);
      expect(timers(run!)).toBe(1);
    });
    customer.script = () => 200;
  }
  const channel = (await findChannel(feed.store, 'overtaken'))!;
  await resetChannelMarker(feed.store, channel, 'accounts', new Date(0));
  const asked = { entity_types: ['accounts' as const], timestamp: '2026-01-01T00:00:00.000Z' };
  await feed.signal('overtaken', markerResetSignal, { ...asked, request_id: 'test' });
  await eventually(() => keep('feedDelivery.overtaken', 'delivery/overtaken/accounts/1', ended('COMPLETED')));
  await eventually(() => keep('channelFeed.overtaken', 'channel/overtaken', (run) => childrenOf(run) === 1));

  await feed.client.workflow.getHandle('delivery/handed-back/accounts/1').signal(handBackSignal);
  await eventually(() =>
    keep('feedDelivery.handed-back', 'delivery/handed-back/accounts/1', ended('COMPLETED')),
  );
});

test('a delivery that goes on with a fresh history, and one of our own trouble', async () => {
  await feed.addChannel('continued', { entity_types: ['accounts'] });
  await feed.push('continued', ['accounts'], 1);
  const to = await readCeiling(feed.store, 'accounts');
  await startMarker(feed.store, 'continued', 'accounts', to - 1);
  const input: DeliveryInput = {
    channel: 'continued',
    channel_name: 'Acme',
    cadence_ms: 3_600_000,
    page_size: 1,
    run: 1,
    entity_type: 'accounts',
    catch_up: false,
    generation: 0,
    from: to - 1,
    to,
    records: 1,
    read: 'range',
    more: false,
    unanswered: false,
    trigger: 'schedule',
    spent: { set_aside: 0, probes: 0 },
    so_far: { ...newState({ unanswered: false } as DeliveryInput, Date.now()), calls: 40 },
  };
  const { taskQueue } = feed.worker;
  const id = 'delivery/continued/accounts/1';
  await feed.client.workflow.start('feedDelivery', { workflowId: id, taskQueue, args: [input] });
  await eventually(() => keep('feedDelivery.continued', id, ended('COMPLETED')));

  // a ceiling that is never reached: every read looks stale, for ten minutes of retries
  const broken = 'delivery/broken/accounts/1';
  const { so_far: _, ...fresh } = input;
  const args = [{ ...fresh, channel: 'broken', to: to + 1_000_000 }];
  await feed.client.workflow.start('feedDelivery', { workflowId: broken, taskQueue, args });
  await eventually(() => keep('feedDelivery.infrastructure', broken, ended('FAILED')), 900_000);
}, 960_000);

test('the catch-up of a shared account', async () => {
  const settings = { scope: 'subscribed' as const, entity_types: ['tickets' as const] };
  await feed.addChannel('shared', settings);
  await feed.push('shared', ['tickets'], 3);
  await feed.deliverNow('shared');
  await eventually(async () => expect((await feed.marker('shared', 'tickets')).position).toBeGreaterThan(0));
  const channel = (await findChannel(feed.store, 'shared'))!;
  const account = `${channel.companies[0]}-1`;
  const farmer = farmerOf(feed.store, '7015550142');
  await grantAccounts(feed.store, channel, [{ channel: 'shared', partner_id: 'policy', farmer, account }]);
  await feed.signal('shared', subscriptionsChangedSignal, { request_id: 'test' });
  await eventually(() =>
    keep('feedDelivery.catch-up', 'delivery/shared/tickets/1/catch-up', ended('COMPLETED')),
  );
});

test('the reconciler', async () => {
  await feed.client.workflow.execute('reconcileChannels', {
    workflowId: 'reconcile-by-hand',
    taskQueue: feed.worker.taskQueue,
  });
  await keep('reconcileChannels', 'reconcile-by-hand', ended('COMPLETED'));
});

test('a test page', async () => {
  await feed.addChannel('tested');
  await feed.worker.temporal.testEndpoint('tested');
  await keep('testEndpoint', 'test/tested', ended('COMPLETED'));
});

/** Three accounts in pages of one to a customer that answers by `script`. */
async function deliver(slug: string, script: FakeCustomer['script']): Promise<FakeCustomer> {
  const customer = await feed.addChannel(slug, { page_size: 1, entity_types: ['accounts'] }, script);
  await feed.push(slug, ['accounts'], 3);
  await feed.deliverNow(slug);
  return customer;
}

/** Nothing is under way: it waits for its next due time. */
const isAtRest = ({ events }: RecordedRun) => isEvent(events.at(-1)!, 'EVENT_TYPE_TIMER_STARTED');
const timers = (run: RecordedRun) => eventsOf(run, 'EVENT_TYPE_TIMER_STARTED').length;
const childrenOf = (run: RecordedRun) => eventsOf(run, 'EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_STARTED').length;
const ended = (status: string) => (run: RecordedRun) => run.status === status;

/** Keeps the first (or last) run of the workflow, once it shows the outcome it is kept for. */
async function keep(
  name: HistoryName,
  workflowId: string,
  shows: (run: RecordedRun) => boolean,
  which = 0,
): Promise<void> {
  const run = (await runsOf(feed.client, workflowId)).at(which);
  if (!run || !shows(run)) throw new Error(`${workflowId} does not show ${name} yet`);
  const history: unknown = JSON.parse(historyToJSON({ events: run.events }));
  const json = JSON.stringify(history, withoutPlaces, 1);
  writeFileSync(path.join(HISTORIES, `${name}.json`), `${json}\n`);
}

/** Who recorded it, and where, is nothing that a replay needs. */
function withoutPlaces(key: string, value: unknown): unknown {
  if (key === 'stackTrace') return '';
  return typeof value === 'string' ? value.replace(/^\d+@\S+$/, 'worker') : value;
}
