import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { findChannel, pauseChannel } from '../../store/channels';
import { resetChannelMarker } from '../../store/reset-channel-marker';
import { settingsChanged } from '../../workflows/messages';
import { eventually } from '../setup/eventually';
import type { FakeCustomer } from '../setup/fake-customer';
import { eventsOf, type RecordedRun, runsOf } from '../workflows/read-history';
import { ALL, TestFeed } from '../workflows/test-feed';
import { HISTORIES, type HistoryName } from './histories';

// Not a test: `npm run record-histories` plays every outcome on the real parts and keeps its history (README.md).
jest.setTimeout(120_000);

let feed: TestFeed;
beforeAll(async () => {
  feed = await TestFeed.start();
});
afterAll(() => feed.stop());

test('channels', async () => {
  await feed.addChannel('idle', { cadence_ms: 1_000 });
  await feed.worker.bell.ensureRunning('idle', 1_000);
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
  await eventually(() => keep('channelFeed.deliveries', 'channel/acme', (run) => timers(run) === 1));
  await keep('feedDelivery.retried', 'delivery/acme/contracts/1', ended('COMPLETED'));

  await pauseChannel(feed.store, 'acme', 'their new system');
  await feed.ring('acme', settingsChanged, { reason: 'paused' });
  await eventually(() => keep('channelFeed.paused', 'channel/acme', (run) => timers(run) === 2));
  await eventually(async () => {
    await feed.ring('acme', settingsChanged, { reason: 'again' });
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

  await deliver('superseded', async () => {
    const channel = (await findChannel(feed.store, 'superseded'))!;
    await resetChannelMarker(feed.store, channel, 'accounts', new Date(0), { dryRun: false });
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

  const waiting = await deliver('stopped', () => ({ status: 503, headers: { 'retry-after': '600' } }));
  await eventually(() => expect(waiting.pages).toHaveLength(1));
  await feed.worker.bell.stop('stopped');
  await eventually(() => keep('feedDelivery.cancelled', 'delivery/stopped/accounts/1', ended('CANCELLED')));
  await keep('channelFeed.cancelled', 'channel/stopped', ended('CANCELLED'));
});

test('the reconciler', async () => {
  await feed.client.workflow.execute('reconcileChannels', {
    workflowId: 'reconcile-by-hand',
    taskQueue: feed.worker.taskQueue,
  });
  await keep('reconcileChannels', 'reconcile-by-hand', ended('COMPLETED'));
});

/** Three accounts in pages of one to a customer that answers by `script`. */
async function deliver(slug: string, script: FakeCustomer['script']): Promise<FakeCustomer> {
  const customer = await feed.addChannel(slug, { page_size: 1, entity_types: ['accounts'] }, script);
  await feed.push(slug, ['accounts'], 3);
  await feed.deliverNow(slug);
  return customer;
}

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
