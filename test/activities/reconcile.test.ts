import pino from 'pino';
import { createReconcile } from '../../activities/reconcile';
import { watchChannels, watchCodes, watchIntegrations, watchSharingCodes } from '../../activities/watch';
import { channelCondition } from '../../domain/deliveries/condition';
import type { CodeStatus } from '../../domain/deliveries/code-status';
import { listAlerts, raiseAlert } from '../../store/alerts/alerts';
import { findChannel } from '../../store/channels/channels';
import { noteCodeActivity, SHARING_CODES } from '../../store/codes/code-activity';
import { readDueHeads } from '../../store/consent/ledger-heads';
import { releaseSetAside, setAside } from '../../store/deliveries/set-aside';
import { notePushes, readPushActivity, stopWatching } from '../../store/push/push-activity';
import type { Store } from '../../store/store';
import { hearingSignals } from '../api/start-api';
import { rewire } from '../commit-order/rewire';
import { addTestChannel } from '../setup/add-test-channel';
import { slowTest, nightlyTest } from '../setup/cases';
import { COMPANY } from '../setup/push-records';
import { emptyStore } from '../setup/open-store';
import { grantAccounts } from '../setup/share-accounts';

let store: Store;
beforeEach(async () => {
  store = await emptyStore();
});

describe('reconcile', () => {
  // The same with a real Temporal: test/workflows/work-lanes.test.ts.

  const numbered = (count: number) => Array.from({ length: count }, (_, index) => `channel-${10 + index}`);

  /** What is started and stopped while these run. */
  async function reconcile(running: string[], whileListing = async () => {}, refused: string[] = []) {
    const [started, stopped]: string[][] = [[], []];
    const temporal = {
      ...hearingSignals().temporal,
      runningChannels: async () => whileListing().then(() => running),
      ensureRunning: async (slug: string) => !refused.includes(slug) && started!.push(slug) > 0,
      stop: async (slug: string) => void stopped!.push(slug),
    };
    const lines: object[] = [];
    const log = pino({ level: 'warn' }, { write: (line) => lines.push(JSON.parse(line)) });
    const result = await createReconcile({ store, temporal, log })();
    return { result, started, stopped, lines };
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

  test('a workflow that Temporal does not accept in time is not counted as started, and holds no other up', async () => {
    await addChannels('slow', 'swift');
    const { result, started, lines } = await reconcile([], undefined, ['slow']);
    expect(result).toMatchObject({ channels: 2, started: 1, unstarted: 1 });
    expect(started).toEqual(['swift']);
    expect(lines).toMatchObject([result]);
  });

  test('a channel that is added and started while the running ones are listed is not stopped', async () => {
    await addChannels('healthy');
    const { stopped } = await reconcile(['healthy', 'new'], () => addChannels('new'));
    expect(stopped).toEqual([]);
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
    const { result, stopped, lines } = await reconcile(['healthy', ...numbered(29)]);
    expect(stopped).toEqual(numbered(3));
    expect(result).toMatchObject({ left: 26, why_left: expect.stringContaining('a tenth') });
    expect(lines).toMatchObject([result]);
  });

  test('in each go it looks for what no delivery can report: of channels, ERPs and ledgers', async () => {
    await addChannels('quiet');
    const { db } = store;
    await db.collection('channels').updateMany({}, { $set: { created_at: new Date(0) } });
    const pushed = {
      erp: 'agris',
      company: COMPANY,
      first_at: new Date(0),
      last_at: new Date(0),
      records: 1,
      warnings: 0,
    };
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
});

test('records that a customer has refused one by one open an alert, which ends when they are released or taken', async () => {
  const { channel } = await addTestChannel(store, 'acme', 'https://acme.example');
  await addTestChannel(store, 'bison', 'https://bison.example');
  const refused = { channel: 'acme', failure: 'refused', status: 422, answer: 'no', delivery: 'd' } as const;
  await setAside(store, { ...refused, entity_type: 'tickets', record: '42-T-1', position: 1 });
  await setAside(store, { ...refused, entity_type: 'accounts', record: '42-1001', position: 1 });
  const alerts = async () => {
    await watchChannels(store, [channel, (await findChannel(store, 'bison'))!], new Date());
    return (await listAlerts(store)).map(({ channel: slug, class: kind, message }) => [slug, kind, message]);
  };
  const said = 'has refused 2 records, which are set aside: gdx set-aside acme shows its answers';
  expect(await alerts()).toEqual([['acme', 'set_aside', expect.stringContaining(said)]]);
  expect(
    channelCondition(channel, { alerts: await listAlerts(store), deliveredAt: new Date() }, new Date())
      .health,
  ).toBe('healthy');
  await releaseSetAside(store, 'acme', {});
  expect(await alerts()).toEqual([]);
});

describe('watch-integrations', () => {
  const MINUTE = 60_000;
  const NOW = new Date('2026-11-21T08:00:00Z');
  const after = (minutes: number) => new Date(NOW.getTime() + minutes * MINUTE);

  const push = (at: Date, id = 'agris-1', warnings = 0, through = store) =>
    notePushes(through, id, {
      erp: 'agris of Prairie Co-op',
      company: COMPANY,
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

  slowTest('an alert within twice the usual interval of the last push; the next push ends it', async () => {
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

  slowTest('no alert of one that is new, nor of one whose tokens are revoked', async () => {
    await push(NOW, 'new');
    await push(after(20), 'new');
    await pushForADay();
    await stopWatching(store, 'agris-1');
    expect(await watched(after(48 * 60))).toEqual([]);
  });

  slowTest(
    'nor where its last push is noted after the revoke; a push with a new token is watched again',
    async () => {
      await pushForADay();
      await stopWatching(store, 'agris-1', after(1));
      // the token opens for 5 s more (docs/contract.md A16), and clocks differ
      for (const seconds of [0, 4, 30]) await push(after(1 + seconds / 60));
      expect(await watched(after(48 * 60))).toEqual([]);
      await push(after(20));
      expect(await watched(after(48 * 60))).toHaveLength(1);
    },
  );

  nightlyTest('nor where its tokens are revoked while a push is noted', async () => {
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
});

describe('watch-codes', () => {
  const HOUR_MS = 3_600_000;

  // What is noted in the past MongoDB removes.
  const NOW = new Date(Math.ceil(Date.now() / HOUR_MS) * HOUR_MS + 60_000);
  const later = (hours: number) => new Date(NOW.getTime() + hours * HOUR_MS);

  /** As often in that hour: the first is noted as each is, the others are added to it. */
  async function happen(times: number, status: CodeStatus, at: Date): Promise<void> {
    await noteCodeActivity(store, 'acme', status, at);
    await store.db
      .collection('code_activity')
      .updateOne({ channel: 'acme' }, { $inc: { [`counts.${status}`]: times - 1 } });
  }

  async function watched(at: Date) {
    const { channel } = await addOnce();
    await watchChannels(store, [channel], at);
    const open = await listAlerts(store, { channel: 'acme' });
    return open.filter(({ class: kind }) => kind === 'codes').map(({ message }) => message);
  }
  let added: ReturnType<typeof addTestChannel> | undefined;

  const addOnce = () =>
    (added ??= addTestChannel(store, 'acme', 'https://acme.example', { scope: 'subscribed' }));

  afterEach(() => (added = undefined));

  test.each<[CodeStatus, number, string]>([
    ['wrong', 100, 'wrong codes were entered'],
    ['barred', 100, 'wrong codes were entered'],
    ['limited', 200, 'codes were asked for and not sent'],
    ['withheld', 200, 'codes were asked for and not sent'],
    ['impossible', 200, 'codes were asked for and not sent'],
    ['sent', 2_000, 'codes were sent'],
  ])(
    '%s: %i an hour are usual, one more opens an alert, an hour without closes it',
    async (status, most, say) => {
      await happen(most, status, NOW);
      expect(await watched(NOW)).toEqual([]);
      await happen(1, status, NOW);
      const expected = [expect.stringMatching(`: ${most + 1} ${say} within an hour`)];
      expect(await watched(NOW)).toEqual(expected);
      expect(await watched(later(1))).toEqual(expected); // it may have ended just before the hour did
      expect(await watched(later(2))).toEqual([]);
    },
  );

  test('those of “who sees my grain data” open an alert of the service, which ends like a channel’s', async () => {
    const codes = async (at: Date) => {
      await watchSharingCodes(store, at);
      return (await listAlerts(store, { channel: SHARING_CODES })).map(({ message }) => message);
    };
    await noteCodeActivity(store, SHARING_CODES, 'wrong', NOW);
    const counts = store.db.collection('code_activity');
    await counts.updateOne({ channel: SHARING_CODES }, { $inc: { 'counts.wrong': 100 } });
    expect(await codes(NOW)).toEqual([
      'The page /sharing: 101 wrong codes were entered within an hour; gdx codes pause --sharing sends and compares none there',
    ]);
    expect(await watched(NOW)).toEqual([]);
    expect(await codes(later(2))).toEqual([]);
  });

  test('it is no delivery that fails: the channel is as healthy as before', async () => {
    await happen(101, 'wrong', NOW);
    expect(await watched(NOW)).toHaveLength(1);
    const { channel } = await addOnce();
    const alerts = (await listAlerts(store)).filter(({ class: kind }) => kind === 'codes');
    expect(channelCondition(channel, { alerts, deliveredAt: null }, channel.created_at).health).toBe(
      'healthy',
    );
  });

  test('codes that are as usual close no alert of another kind', async () => {
    const { channel } = await addOnce();
    const stale = {
      channel: 'acme',
      class: 'stale',
      subject: undefined,
      message: 'nothing was sent',
    } as const;
    await raiseAlert(store, stale, NOW);
    await watchCodes(store, [{ _id: channel._id, what: channel.name }], await listAlerts(store), NOW);
    expect((await listAlerts(store)).map(({ class: kind }) => kind)).toEqual(['stale']);
  });

  test('of two channels each has its own: the one whose codes are as usual closes no alert of the other', async () => {
    const { channel } = await addOnce();
    const { channel: bison } = await addTestChannel(store, 'bison', 'https://bison.example');
    await happen(101, 'wrong', NOW);
    for (const at of [NOW, later(0.5)]) {
      await watchChannels(store, [channel, bison], at);
      const codes = (await listAlerts(store)).filter(({ class: kind }) => kind === 'codes');
      expect(codes.map(({ channel: slug, number }) => [slug, number])).toEqual([['acme', 1]]);
    }
  });
});
