import type { Db, Document } from 'mongodb';
import { setTimeout } from 'node:timers/promises';
import {
  addNotice,
  claimUnsent,
  countUnsent,
  listAlerts,
  markSent,
  raiseAlert,
  releaseClaim,
  resolveAlert,
  resolveAlerts,
} from '../../store/alerts/alerts';
import {
  closeDeliveryReport,
  deliveriesSince,
  type DeliveryStart,
  findDeliveries,
  openDeliveryReport,
  reportProgress,
} from '../../store/deliveries/deliveries';
import { readServerFacts } from '../../store/schema/server-facts';
import type { Store } from '../../store/store';
import { emptyStore } from '../setup/open-store';
import { slowTest } from '../setup/cases';

let store: Store;
beforeEach(async () => {
  store = await emptyStore();
});

describe('deliveries', () => {
  const DELIVERED = { status: 'delivered', failure: null, failure_message: null } as const;

  async function open(run: number, rest: Partial<DeliveryStart> = {}): Promise<string> {
    const { channel = 'acme', entity_type = 'tickets', catch_up = false } = rest;
    const _id = `delivery/${channel}/${entity_type}/${run}${catch_up ? '/catch-up' : ''}`;
    const window = { catch_up, trigger: 'schedule', from: 0, to: 9 };
    const start = { _id, channel, entity_type, run, ...window, workflow_run_id: 'r' };
    await openDeliveryReport(store, start, 30);
    await setTimeout(2); // each begins at a time of its own
    return _id;
  }

  const list = async (query: Partial<Parameters<typeof findDeliveries>[2]> = {}) =>
    (await findDeliveries(store, 'acme', { limit: 10, ...query })).map(({ _id }) => _id);

  test('a report is opened once; a retry goes on with it', async () => {
    const id = await open(1);
    await reportProgress(store, id, { pages: 1, records: 5, bytes: 900, set_aside: 0, probes: 0 });
    await open(1);
    const [report, ...others] = await findDeliveries(store, 'acme', { limit: 10 });
    expect(others).toEqual([]);
    expect(report).toMatchObject({ status: 'running', pages: 1, records: 5, bytes: 900, ended_at: null });
    const days = (report!.expires_at.getTime() - report!.started_at.getTime()) / 86_400_000;
    expect(days).toBe(30);
  });

  test('a newer delivery of the same marker closes one that nobody closed, and no other', async () => {
    const left = await open(1);
    const other = await open(1, { entity_type: 'accounts' });
    const theirs = await open(1, { channel: 'bison' });
    const earlier = await open(1, { catch_up: true });
    await open(2);
    const found = await store.db.collection<{ _id: string; status: string }>('deliveries').find().toArray();
    const statusOf = (id: string) => found.find(({ _id }) => _id === id)?.status;
    expect(statusOf(left)).toBe('superseded');
    expect([other, theirs, earlier].map(statusOf)).toEqual(['running', 'running', 'running']);
  });

  test('the retry of an older delivery closes no newer one', async () => {
    await open(1);
    const newer = await open(2);
    await open(1);
    expect(await list({ status: 'running' })).toEqual([newer]);
  });

  slowTest(
    'the timeline: what was open at any time since then, of one channel, the newest first',
    async () => {
      const reports = store.db.collection<{ _id: string }>('deliveries');
      const hour = (hours: number) => new Date(Date.UTC(2026, 10, 24, hours));
      const during = async (id: string, started_at: Date, ended_at: Date | null) => {
        await reports.updateOne({ _id: id }, { $set: { started_at, ended_at, status: 'delivered' } });
        return id;
      };
      const [over, , still, short] = [
        await during(await open(1), hour(-20), hour(-1)),
        await during(await open(2, { channel: 'bison' }), hour(1), hour(2)),
        await during(await open(3), hour(-20), null),
        await during(await open(4), hour(2), hour(3)),
      ];
      const ended = await during(await open(5), hour(-19), hour(1));
      const since = async (limit: number) =>
        (await deliveriesSince(store, 'acme', hour(0), limit)).map(({ _id }) => _id);
      expect(await since(10)).toEqual([short, ended, still]);
      expect(await since(1)).toEqual([short]);
      expect(await list()).toContain(over);
    },
  );

  test('closed is closed', async () => {
    const id = await open(1);
    expect(
      await closeDeliveryReport(
        store,
        id,
        {
          status: 'failed',
          failure: 'unavailable',
          failure_message: 'answered 503',
        },
        400,
      ),
    ).toBe(true);
    expect(await closeDeliveryReport(store, id, DELIVERED, 400)).toBe(false);
    const [report] = await findDeliveries(store, 'acme', { limit: 1 });
    expect(report).toMatchObject({ status: 'failed', failure: 'unavailable' });
    expect(report!.ended_at).toBeInstanceOf(Date);
  });

  slowTest('what went well is kept 30 days, what failed as long as the setting says', async () => {
    const keptFor = async (status: 'delivered' | 'superseded' | 'resized' | 'failed', retention: number) => {
      const id = await open(1, { channel: `${status}-${retention}` });
      await closeDeliveryReport(store, id, { ...DELIVERED, status }, retention);
      const [report] = await findDeliveries(store, `${status}-${retention}`, { limit: 1 });
      return (report!.expires_at.getTime() - report!.ended_at!.getTime()) / 86_400_000;
    };
    for (const status of ['delivered', 'superseded', 'resized'] as const) {
      expect(await keptFor(status, 400)).toBe(30);
      expect(await keptFor(status, 7)).toBe(7);
    }
    expect(await keptFor('failed', 400)).toBe(400);
  });

  test('opening one looks at what runs, not at everything that was', async () => {
    const closed = Array.from({ length: 300 }, (_, run) => ({
      _id: `delivery/acme/tickets/${run + 100}`,
      channel: 'acme',
      entity_type: 'tickets',
      catch_up: false,
      status: 'delivered',
      started_at: new Date(run),
    }));
    const reports = store.db.collection<{ _id: string }>('deliveries');
    await reports.insertMany(closed);
    await open(1);
    await open(2);
    const running = { channel: 'acme', entity_type: 'tickets', catch_up: false, status: 'running' };
    const { executionStats } = await reports.find(running).explain('executionStats');
    expect(executionStats.totalDocsExamined).toBeLessThan(10);
  });

  test('the last twenty answers that did not confirm are kept', async () => {
    const id = await open(1);
    for (let i = 0; i < 23; i++) {
      const reason = `answered 503, ${i}`;
      const failed = {
        at: new Date(),
        failure: 'unavailable',
        status: 503,
        reason,
        answer: '',
        request_id: 'x',
      };
      await reportProgress(store, id, { pages: 0, records: 0, bytes: 0, set_aside: 0, probes: 0 }, failed);
    }
    const [report] = await findDeliveries(store, 'acme', { limit: 1 });
    expect(report!.failed_attempts.map(({ reason }) => reason.slice(14))).toEqual(
      Array.from({ length: 20 }, (_, i) => String(i + 3)),
    );
  });

  test('listed newest first, by type and status, and page by page without a gap', async () => {
    for (let run = 1; run <= 3; run++) await closeDeliveryReport(store, await open(run), DELIVERED, 400);
    const accounts = await open(4, { entity_type: 'accounts' });
    await open(1, { channel: 'bison' });
    const tickets = [3, 2, 1].map((run) => `delivery/acme/tickets/${run}`);
    expect(await list()).toEqual([accounts, ...tickets]);
    expect(await list({ entity_type: 'tickets' })).toEqual(tickets);
    expect(await list({ status: 'running' })).toEqual([accounts]);
    expect(await list({ status: 'failed' })).toEqual([]);

    const [first, second] = await findDeliveries(store, 'acme', { limit: 2 });
    expect([first!._id, second!._id]).toEqual([accounts, tickets[0]]);
    const after = { started_at: second!.started_at, id: second!._id };
    expect(await list({ after })).toEqual(tickets.slice(1));
  });

  test('pages of the list split reports of one instant without losing any', async () => {
    for (let run = 1; run <= 3; run++) await open(run);
    await store.db.collection('deliveries').updateMany({}, { $set: { started_at: new Date(5e11) } });
    const seen: string[] = [];
    for (let after; seen.length < 3;) {
      const [next] = await findDeliveries(store, 'acme', { limit: 1, ...(after && { after }) });
      seen.push(next!._id);
      after = { started_at: next!.started_at, id: next!._id };
    }
    expect(new Set(seen).size).toBe(3);
  });
});

describe('alerts', () => {
  const NOW = new Date('2026-11-21T08:00:00Z');
  const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1_000);

  const raise = (subject = 'tickets', message = 'answered 401', now = NOW) =>
    raiseAlert(store, { channel: 'acme', class: 'unauthorized', subject, message }, now);

  const resolve = (isResolved: (subject: string) => boolean) =>
    resolveAlerts(store, { channel: 'acme', message: 'confirms again', isResolved }, later(60));

  test('one alert a channel and class is open, however many raise it at once', async () => {
    const raised = await Promise.all(
      ['accounts', 'tickets', 'contracts', 'tickets'].map((type) => raise(type)),
    );
    expect(raised.filter(({ opened }) => opened)).toHaveLength(1);
    expect(new Set(raised.map(({ id }) => id)).size).toBe(1);
    await raise('tickets', 'answered 403', later(5));
    const [alert, ...others] = await listAlerts(store);
    expect(others).toEqual([]);
    expect(alert).toMatchObject({
      message: 'answered 403',
      opened_at: NOW,
      last_failed_at: later(5),
      unsent: 1,
    });
    expect(new Set(alert!.subjects)).toEqual(new Set(['accounts', 'tickets', 'contracts']));
    expect(alert!.notices).toMatchObject([
      { kind: 'opened', message: 'answered 401', at: NOW, sent_at: null },
    ]);
    await raiseAlert(
      store,
      { channel: 'bison', class: 'unauthorized', subject: 'tickets', message: '' },
      NOW,
    );
    await raiseAlert(store, { channel: 'acme', class: 'stale', subject: undefined, message: '' }, NOW);
    expect(await listAlerts(store)).toHaveLength(3);
    expect(await listAlerts(store, { channel: 'acme' })).toHaveLength(2);
  });

  test('it is resolved when the last of what fails with it has succeeded, and not before', async () => {
    const { id } = await raise('tickets');
    await raise('accounts');
    expect(await resolve((subject) => subject === 'contracts')).toBe(0);
    expect(await resolve((subject) => subject === 'accounts')).toBe(0);
    expect(await listAlerts(store)).toMatchObject([{ state: 'open', subjects: ['tickets'] }]);
    expect(await resolve((subject) => subject === 'tickets')).toBe(1);
    expect(await listAlerts(store)).toEqual([]);
    const [closed] = await listAlerts(store, { all: true });
    expect(closed).toMatchObject({ _id: id, state: 'resolved', resolved_at: later(60), unsent: 2 });
    expect(closed!.notices.map(({ kind }) => kind)).toEqual(['opened', 'resolved']);
    expect(closed!.expires_at).toEqual(later(60 + 400 * 24 * 3_600));
    expect(await resolveAlert(store, id, 'again', NOW)).toBe(false);
    const day = { key: 'day', kind: 'day', message: 'For 24 hours', at: later(61) } as const;
    expect(await addNotice(store, id, day)).toBe(false);
    const again = await raise();
    expect(again).toMatchObject({ opened: true });
    expect(again.id).not.toBe(id);
  });

  test('one that is about nothing in particular is not resolved by what succeeds', async () => {
    await raiseAlert(store, { channel: 'acme', class: 'stale', subject: undefined, message: '' }, NOW);
    expect(await resolve(() => true)).toBe(0);
    expect(await listAlerts(store)).toMatchObject([{ class: 'stale', state: 'open' }]);
  });

  test('one event is told once', async () => {
    const { id } = await raise();
    const day = { key: 'day', kind: 'day', message: 'For 24 hours', at: later(1) } as const;
    expect([await addNotice(store, id, day), await addNotice(store, id, day)]).toEqual([true, false]);
    expect((await listAlerts(store))[0]).toMatchObject({ unsent: 2 });
  });

  test('who was taken for dead and is through after all does not give away what another sends by now', async () => {
    await raise();
    const late = (await claimUnsent(store, NOW))!;
    expect(await claimUnsent(store, later(60))).not.toBeNull();
    await releaseClaim(store, late);
    expect(await claimUnsent(store, later(61))).toBeNull();
  });

  test('of two senders one gets an alert; what was sent is not given again', async () => {
    const { id } = await raise();
    const claims = await Promise.all([1, 2, 3].map(() => claimUnsent(store, NOW)));
    expect(claims.filter(Boolean)).toHaveLength(1);
    expect(await claimUnsent(store, later(59))).toBeNull();
    expect(await claimUnsent(store, later(60))).toMatchObject({ _id: id }); // the sender was killed
    await markSent(store, id, 'opened', later(61));
    await markSent(store, id, 'opened', later(62));
    expect(await countUnsent(store)).toBe(0);
    expect((await listAlerts(store))[0]).toMatchObject({ unsent: 0, notices: [{ sent_at: later(61) }] });
    await resolve(() => true);
    const claimed = await claimUnsent(store, later(130));
    expect(claimed?.notices.map(({ sent_at }) => sent_at)).toEqual([later(61), null]);
    await releaseClaim(store, claimed!);
    expect(await claimUnsent(store, later(131))).toMatchObject({ _id: id });
  });
});

describe('server-facts', () => {
  /** The facts of a server that answers this to `dbStats`, and whose clock is so far ahead. */
  function factsOf(dbStats: () => Promise<Document>, aheadMs = 0) {
    const command = async (asked: Document, options: Document): Promise<Document> => {
      if ('dbStats' in asked) return dbStats();
      const answer = await store.db.command(asked, options);
      return { ...answer, ...('hello' in asked && { localTime: new Date(Date.now() + aheadMs) }) };
    };
    return readServerFacts({ ...store, db: { command } as unknown as Db });
  }

  test.each([60_000, -60_000])(
    'how far the server’s clock is ahead, and how full its disk is: %i',
    async (ahead) => {
      const facts = await factsOf(async () => ({ fsUsedSize: 90, fsTotalSize: 100 }), ahead);
      const ofWholeMs = 1; // both clocks tell whole milliseconds
      expect(Math.abs(facts.clockAheadMs! - ahead)).toBeLessThanOrEqual(facts.tookMs / 2 + ofWholeMs);
      expect(facts.diskUsed).toBe(0.9);
      expect(facts.replicaSet).toEqual(expect.any(String));
    },
  );

  test('a process that is held up while it looks at its clocks takes that for no difference', async () => {
    const now = performance.now.bind(performance);
    const holdUp = () => {
      const at = now();
      while (now() - at < 30);
      return at;
    };
    const command = async (asked: Document): Promise<Document> => {
      const answer = await store.db.command(asked);
      if ('hello' in asked) jest.spyOn(performance, 'now').mockImplementationOnce(holdUp);
      return { ...answer, localTime: new Date() };
    };
    const facts = await readServerFacts({ ...store, db: { command } as unknown as Db });
    jest.restoreAllMocks();
    expect(Math.abs(facts.clockAheadMs!)).toBeLessThanOrEqual(facts.tookMs / 2 + 1);
  });

  test.each<[string, () => Promise<Document>]>([
    ['nothing of it', async () => ({})],
    ['a disk of no size', async () => ({ fsUsedSize: 0, fsTotalSize: 0 })],
    ['that one may not ask', () => Promise.reject(new Error('not authorized'))],
  ])('a server that does not tell how full its disk is: %s', async (_, dbStats) => {
    expect(await factsOf(dbStats)).toMatchObject({ tookMs: expect.any(Number), diskUsed: undefined });
  });
});
