import { watchIntegrations } from '../../activities/watch-integrations';
import { listAlerts, raiseAlert } from '../../store/feed/alerts';
import { notePushes, readPushActivity, stopWatching } from '../../store/push/push-activity';
import type { Store } from '../../store/store';
import { rewire } from '../commit-order/rewire';
import { emptyStore } from '../setup/open-store';
import { slowTest } from '../setup/cases';

const MINUTE = 60_000;
const NOW = new Date('2026-11-21T08:00:00Z');
const after = (minutes: number) => new Date(NOW.getTime() + minutes * MINUTE);

let store: Store;
beforeEach(async () => void (store = await emptyStore()));

const push = (at: Date, id = 'agris-1', warnings = 0, through = store) =>
  notePushes(through, id, {
    erp: 'agris of Prairie Co-op',
    first_at: at,
    last_at: at,
    records: 10,
    warnings,
  });

/** Pushes every 20 minutes until now, for more than a day. */
async function pushForADay(): Promise<void> {
  for (let minutes = -26 * 60; minutes <= 0; minutes += 20) await push(after(minutes));
}

async function watched(at: Date) {
  await watchIntegrations(store, at);
  return listAlerts(store);
}

test('an alert within twice the usual interval of the last push; the next push ends it', async () => {
  await pushForADay();
  expect(await watched(after(39))).toEqual([]);
  const [alert] = await watched(after(40));
  expect(alert).toMatchObject({ class: 'silent', integration: 'agris-1', channel: 'integration/agris-1' });
  expect(alert!.message).toMatch(
    /^agris of Prairie Co-op has pushed nothing since 2026-11-21 08:00 UTC; .* 20m: /,
  );
  const day = await watched(after(40 + 24 * 60));
  expect(day[0]!.notices.map(({ kind }) => kind)).toEqual(['opened', 'day']);
  await push(after(40 + 24 * 60 + 1));
  expect(await watched(after(40 + 24 * 60 + 2))).toEqual([]);
  expect(await listAlerts(store, { all: true })).toMatchObject([{ state: 'resolved' }]);
});

test('no alert of one that is new, nor of one whose tokens are revoked', async () => {
  await push(NOW, 'new');
  await push(after(20), 'new');
  await pushForADay();
  await stopWatching(store, 'agris-1');
  expect(await watched(after(48 * 60))).toEqual([]);
});

test('nor where its last push is noted after the revoke; a push with a new token is watched again', async () => {
  await pushForADay();
  await stopWatching(store, 'agris-1', after(1));
  // the token opens for 5 s more (docs/contract.md A16), and clocks differ
  for (const seconds of [0, 4, 30]) await push(after(1 + seconds / 60));
  expect(await watched(after(48 * 60))).toEqual([]);
  await push(after(20));
  expect(await watched(after(48 * 60))).toHaveLength(1);
});

test('nor where its tokens are revoked while a push is noted', async () => {
  await pushForADay();
  let stopped: Promise<void> | undefined;
  const slow = rewire(store, async ({ method, run }) => {
    const read = await run();
    if (method === 'findOne') await (stopped ??= stopWatching(store, 'agris-1', after(1)));
    return read;
  });
  await push(after(1 + 4 / 60), 'agris-1', 0, slow);
  expect(await watched(after(48 * 60))).toEqual([]);
});

test('records and warnings are those of its last day; processes that note at once lose nothing', async () => {
  await push(new Date('2026-11-20T23:59:00Z'), 'agris-1', 5);
  await Promise.all(Array.from({ length: 8 }, (_, index) => push(after(index), 'agris-1', 1)));
  expect((await readPushActivity(store)).get('agris-1')).toMatchObject({
    last_at: after(7),
    day: '2026-11-21',
    records: 80,
    warnings: 8,
    usual_ms: null,
  });
});

slowTest(
  'an ERP that pushes again ends its own alert, not that of another, nor one of a channel',
  async () => {
    for (let minutes = -26 * 60; minutes <= 0; minutes += 20)
      for (const id of ['agris-1', 'oakland-1']) await push(after(minutes), id);
    await raiseAlert(store, { channel: 'acme', class: 'stale', subject: undefined, message: 'Acme' }, NOW);
    expect(await watched(after(40))).toHaveLength(3);
    await push(after(41));
    const left = await watched(after(42));
    expect(left.map(({ channel }) => channel)).toEqual(['acme', 'integration/oakland-1']);
  },
);
