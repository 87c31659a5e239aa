import { checkAccess } from '../../cli/doctor/check-access';
import { checkFeeds } from '../../cli/doctor/check-channels';
import { setKeyAccess } from '../../store/access/set-access';
import { raiseAlert } from '../../store/feed/alerts';
import { listChannels } from '../../store/feed/channels';
import { closeDeliveryReport, openDeliveryReport } from '../../store/feed/deliveries';
import type { Store } from '../../store/store';
import { addTestChannel } from '../setup/add-test-channel';
import { emptyStore } from '../setup/open-store';

const DAY_MS = 24 * 3_600_000;

let store: Store;
beforeEach(async () => {
  store = await emptyStore();
  for (const slug of ['acme', 'bank', 'coop']) await addTestChannel(store, slug, 'https://acme.example');
});

async function deliver(
  channel: string,
  entity_type: 'accounts' | 'tickets',
  run: number,
  failure: 'refused' | null,
) {
  const _id = `delivery/${channel}/${entity_type}/${run}`;
  const window = { from: 0, to: 3, run, trigger: 'schedule', workflow_run_id: 'r', catch_up: false };
  await openDeliveryReport(store, { ...window, _id, channel, entity_type }, 1);
  const end = { status: failure ? ('failed' as const) : ('delivered' as const), failure };
  await closeDeliveryReport(store, _id, { ...end, failure_message: failure && 'Acme answered 422' }, 1);
}

test('each channel is told of its own failures, and of no delivery that a later one has made good', async () => {
  const now = new Date();
  const trigger = { class: 'unauthorized', subject: 'tickets', message: 'answered 401' } as const;
  await raiseAlert(store, { ...trigger, channel: 'bank' }, now);
  await deliver('acme', 'tickets', 1, 'refused');
  await deliver('acme', 'accounts', 1, null);
  await deliver('coop', 'tickets', 1, 'refused');
  await deliver('coop', 'tickets', 2, null);
  const found = await checkFeeds(store, await listChannels(store), now);
  expect(found.map(({ part, status, finding }) => [part, status, finding])).toEqual([
    ['channel acme', 'warn', 'its last delivery of tickets failed: Acme answered 422'],
    ['channel bank', 'fail', 'unauthorized: answered 401'],
    ['channel coop', 'ok', 'delivers'],
  ]);
});

test('keys that end within two weeks are named, and so are those that have ended', async () => {
  const now = new Date();
  const ends = (slug: string, days: number) =>
    setKeyAccess(store, slug, { expires_at: new Date(now.getTime() + days * DAY_MS) });
  await ends('acme', 13);
  await ends('bank', 15);
  await ends('coop', -1);
  const found = await checkAccess(store, await listChannels(store), now);
  expect(found.map(({ status, fix }) => [status, fix])).toEqual([
    ['warn', '`gdx channel set-key acme --expires 90d`, or never'],
    ['fail', '`gdx channel set-key coop --expires 90d`, or never'],
  ]);
});
