import pino from 'pino';
import { createReconcile } from '../../activities/reconcile';
import { listAlerts } from '../../store/feed/alerts';
import { findChannel } from '../../store/feed/channels';
import { readDueHeads } from '../../store/feed/ledger-heads';
import { notePushes } from '../../store/push/push-activity';
import type { Store } from '../../store/store';
import { hearingSignals } from '../api/start-api';
import { addTestChannel } from '../setup/add-test-channel';
import { emptyStore } from '../setup/open-store';
import { grantAccounts } from '../setup/share-accounts';

// The same with a real Temporal: test/activities/reconcile.test.ts.

let store: Store;
beforeEach(async () => {
  store = await emptyStore();
});

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `channel-${10 + index}`);

/** What is started and stopped while these run. */
async function reconcile(running: string[]) {
  const [started, stopped]: string[][] = [[], []];
  const temporal = {
    ...hearingSignals().temporal,
    runningChannels: async () => running,
    ensureRunning: async (slug: string) => started!.push(slug) > 0,
    stop: async (slug: string) => void stopped!.push(slug),
  };
  const result = await createReconcile({ store, temporal, log: pino({ level: 'silent' }) })();
  return { result, started, stopped };
}

const addChannels = async (...slugs: string[]) => {
  for (const slug of slugs) await addTestChannel(store, slug, 'https://acme.example');
};

test('a channel that runs is left alone, one that does not is started, one that is no more is stopped', async () => {
  await addChannels('healthy', 'never-started');
  expect(await reconcile(['healthy', 'gone'])).toMatchObject({
    result: { channels: 2, started: 1, stopped: 1, left: 0 },
    started: ['never-started'],
    stopped: ['gone'],
  });
});

test('on an empty database nobody is stopped, and it is said why', async () => {
  const { result, stopped } = await reconcile(numbered(25));
  expect(stopped).toEqual([]);
  expect(result).toMatchObject({
    left: 25,
    why_left: expect.stringContaining('MongoDB holds no channel at all'),
  });
});

test('at most a tenth of what runs is stopped in one go', async () => {
  await addChannels('healthy');
  const { result, stopped } = await reconcile(['healthy', ...numbered(29)]);
  expect(stopped).toEqual(numbered(3));
  expect(result).toMatchObject({ left: 26, why_left: expect.stringContaining('a tenth') });
});

test('in each go it looks for what no delivery can report: of channels, ERPs and ledgers', async () => {
  await addChannels('quiet');
  const { db } = store;
  await db.collection('channels').updateMany({}, { $set: { created_at: new Date(0) } });
  const pushed = { erp: 'agris', first_at: new Date(0), last_at: new Date(0), records: 1, warnings: 0 };
  await notePushes(store, 'agris-1', pushed);
  await db.collection('push_activity').updateMany({}, { $set: { silent_at: new Date(0) } });
  const quiet = async () => (await findChannel(store, 'quiet'))!;
  const key = { channel: 'quiet', partner_id: 'p', farmer: 'dale', account: '42-1' };
  await grantAccounts(store, await quiet(), [key]);
  expect(await readDueHeads(store, [await quiet()], new Date())).toHaveLength(1);
  await reconcile(['quiet']);
  expect((await listAlerts(store)).map(({ class: kind }) => kind).sort()).toEqual(['silent', 'stale']);
  expect(await readDueHeads(store, [await quiet()], new Date())).toEqual([]);
});
