import { goBy } from '../../../domain/time/elapsed';
import { createPlanRun } from '../../../activities/plan-run';
import type { DeliverResult } from '../../../domain/deliveries/delivery';
import { flawOfPage } from '../../../domain/deliveries/verify-page';
import { findChannel } from '../../../store/channels/channels';
import { rotateSigningSecret } from '../../../store/channels/signing-secrets';
import { markerId, noteUnconfirmed, readMarkers, takeEpoch } from '../../../store/markers/markers';
import { confirmWaitingPage } from '../../../store/markers/confirm-waiting-page';
import { resetChannelMarker } from '../../../store/markers/reset-channel-marker';
import {
  askForPage,
  isToGiveOut,
  openWaitingPage,
  readWaitingState,
} from '../../../store/markers/waiting-pages';
import { readOpenCatchUps } from '../../../store/markers/catch-ups';
import { closeDeliveryReport, deliveries } from '../../../store/deliveries/deliveries';
import { listReleased, listSetAside, releaseForResend, setAside } from '../../../store/deliveries/set-aside';
import { farmerOf } from '../../../store/consent/subscriptions';
import type { Store } from '../../../store/store';
import { channelWorkflowId, deliveryWorkflowId } from '../../../workflows/messages';
import { type Call, rewire } from '../../commit-order/rewire';
import { type Scene, withScene } from '../../commit-order/scene';
import { stopHere } from '../../commit-order/stop-here';
import { asActivity } from '../../setup/as-activity';
import { nightlyTest, slowTest } from '../../setup/cases';
import type { Reply } from '../../setup/fake-customer';
import { pushRecords } from '../../setup/push-records';
import { grantAccounts, revokeAccounts } from '../../setup/share-accounts';
import { SLUG, stand } from '../../setup/stand';

describe('give-out', () => {
  const TYPE = 'tickets';
  const ID = markerId(SLUG, TYPE);
  const open = () =>
    stand({
      customer: 'confirms', // nothing is posted to it
      channel: { base_url: '', delivery: 'pull', page_size: 2, entity_types: [TYPE] },
    });
  let store: Store;
  let scene: Awaited<ReturnType<typeof open>>;

  const openAnew = async () => void ({ store } = scene = await open());
  beforeEach(openAnew);

  const channel = () => scene.channel();
  const ask = (through = store) => askForPage(through, SLUG, TYPE);
  const push = (...ids: string[]) => pushTickets(ids);
  const pushTickets = (ids: string[], note = 'v1') =>
    pushRecords(store, { tickets: ids.map((id) => ({ id, account_id: '1001', note })) });
  const worker = (through = store) => scene.worker(through);
  const marker = async () => (await readMarkers(store, SLUG)).get(TYPE)!;
  const confirm = (page: string, through = store) => confirmWaitingPage(through, SLUG, page);

  /** What the customer gets now, if anything. */
  async function given(
    through = store,
  ): Promise<{ id: string; ids: string[]; headers: Record<string, string>; body: Buffer } | undefined> {
    const waiting = await readWaitingState(through, SLUG, TYPE);
    if (!waiting || !(await isToGiveOut(through, waiting, (await findChannel(through, SLUG))!)))
      return undefined;
    const { headers, body } = (await openWaitingPage(through, waiting))!;
    const { data } = JSON.parse(body.toString()) as { data: { ticket: { remote_id: string } }[] };
    return { id: waiting.page!, ids: data.map(({ ticket }) => ticket.remote_id), headers, body };
  }

  /** A page of what was pushed, laid out for a question. */
  async function laid(...ids: string[]) {
    await push(...ids);
    await ask();
    const [input] = await worker().plan();
    expect((await worker().deliver(input!)).end).toBe('uncollected');
    return { input: input!, page: (await given())! };
  }

  test('a page is laid out for a question, and nobody waits for its confirmation', async () => {
    const { page } = await laid('T1', 'T2', 'T3');
    expect(page.ids).toEqual(['T1', 'T2']);
    expect((await marker()).position).toBe(0);
    expect(await confirm(page.id)).toBe(TYPE);
    expect(await marker()).toMatchObject({ position: 2, progress: { pages: 1, records: 2 } });
    expect(await given()).toBeUndefined();
  });

  test('without a question nothing is read and no epoch is taken', async () => {
    await push('T1');
    const [input] = await worker().plan();
    const { epoch } = await marker();
    expect((await worker().deliver(input!)).end).toBe('uncollected'); // nobody has ever asked
    await ask();
    await worker().plan();
    expect((await worker().deliver(input!)).end).toBe('uncollected');
    expect((await marker()).epoch).toBe(epoch + 1);
    expire();
    expect((await worker().deliver(input!)).end).toBe('uncollected'); // that question has got its page
    expect((await marker()).epoch).toBe(epoch + 1);
  });

  /** A minute later. */
  function expire() {
    const now = Date.now() + 61_000;
    jest.spyOn(Date, 'now').mockReturnValue(now);
    goBy(() => now);
  }
  afterEach(() => {
    jest.restoreAllMocks();
    goBy(() => NaN);
  });

  slowTest('a question that was answered with nothing is not laid out for', async () => {
    await ask();
    expect(await worker().plan()).toEqual([]);
    await push('T1');
    const [input] = await worker().plan();
    expect((await worker().deliver(input!)).end).toBe('uncollected');
    expect(await given()).toBeUndefined();
  });

  test('what waits is a snapshot: a record that changes comes again behind it', async () => {
    const { input, page } = await laid('T1', 'T2');
    await pushTickets(['T1'], 'v2');
    await ask();
    expect((await worker().deliver(input)).end).toBe('uncollected');
    expect(await given()).toMatchObject({ id: page.id, ids: ['T1', 'T2'] });
    expect(await confirm(page.id)).toBe(TYPE);
    expect((await worker().deliver({ ...input, first: false })).end).toBe('delivered');
    const [behind] = await worker().plan();
    await worker().deliver(behind!);
    expect((await given())!.ids).toEqual(['T1']);
  });

  slowTest(
    'after a minute the next question gets it signed again; without one it can be confirmed',
    async () => {
      const { input, page } = await laid('T1');
      expire();
      expect(await given()).toBeUndefined();
      await ask();
      await worker().deliver(input);
      const again = (await given())!;
      expect(again.id).toBe(page.id);
      expire();
      expect(await confirm(page.id)).toBe(TYPE);
      expect((await marker()).position).toBe(1);
    },
  );

  slowTest('confirmed twice at once and again it moves the marker once', async () => {
    const { input, page } = await laid('T1', 'T2', 'T3');
    expect(await Promise.all([confirm(page.id), confirm(page.id)])).toEqual([TYPE, TYPE]);
    await worker().deliver(input);
    const second = (await given())!;
    expect(second.ids).toEqual(['T3']);
    expect(await confirm(page.id)).toBe(TYPE);
    expect([(await given())!.id, (await marker()).position]).toEqual([second.id, 2]);
    const { passed } = (await store.db.collection('waiting_pages').findOne({}))!;
    expect(passed).toEqual([page.id]);
  });

  slowTest(
    'a confirmation that has read the page and comes late moves nothing that another has moved on',
    async () => {
      const { input, page } = await laid('T1', 'T2', 'T3');
      const halt = stopHere();
      const slow = rewire(store, async (call) => {
        const answer = await call.run();
        if (call.collection === 'waiting_pages' && call.method === 'findOne') await halt.here();
        return answer;
      });
      const late = confirm(page.id, slow);
      await halt.reached;
      await confirm(page.id);
      await worker().deliver(input);
      const second = (await given())!;
      await confirm(second.id);
      halt.goOn();
      expect(await late).toBe(TYPE);
      expect((await marker()).position).toBe(3);
    },
  );

  const RULED_OUT: [string, () => Promise<unknown>][] = [
    ['a reset', async () => resetChannelMarker(store, await channel(), TYPE, new Date(0))],
    ['another attempt', async () => takeEpoch(store, ID, (await marker()).generation)],
  ];

  test.each(RULED_OUT)(
    'after %s the page is not given out, and its confirmation moves nothing',
    async (_, come) => {
      const { page } = await laid('T1');
      await come();
      expect(await given()).toBeUndefined();
      expect(await confirm(page.id)).toBeNull();
      expect((await marker()).position).toBe(0);
      expect(await store.db.collection('waiting_pages').findOne({})).not.toHaveProperty('passed');
    },
  );

  test('a question changes its document without the server keeping an image of the page in it', async () => {
    const methods: string[] = [];
    const seen = rewire(store, (call) => {
      if (call.collection === 'waiting_pages') methods.push(call.method);
      return call.run();
    });
    expect(await ask(seen)).toEqual({ asks: 1, isAnother: false });
    expect(await ask(seen)).toEqual({ asks: 2, isAnother: true });
    expect(methods).not.toContain('findOneAndUpdate');
  });

  test('a page that is confirmed after its delivery has closed is in its report', async () => {
    const { page } = await laid('T1', 'T2', 'T3');
    const id = deliveryWorkflowId(SLUG, TYPE, 1);
    const end = { status: 'superseded', failure: null, failure_message: null } as const;
    expect(await closeDeliveryReport(store, id, end, 1)).toBe(true);
    await confirm(page.id);
    const report = await deliveries(store).findOne({ _id: id });
    expect(report).toMatchObject({ status: 'superseded', pages: 1, records: 2 });
    expect(report!.bytes).toBeGreaterThan(0);
  });

  slowTest('a slice that began before a confirmation does not take it out of the report', async () => {
    const { input, page } = await laid('T1', 'T2', 'T3');
    const slow = rewire(store, async (call) => {
      const isReport = call.collection === 'deliveries' && JSON.stringify(call.args).includes('set_aside');
      if (isReport) await confirm(page.id);
      return call.run();
    });
    await worker(slow).deliver(input);
    expect(await deliveries(store).findOne({})).toMatchObject({ pages: 1, records: 2 });
  });

  test('an attempt that was frozen does not lay its page over that of a newer one', async () => {
    await push('T1');
    await ask();
    const [input] = await worker().plan();
    const halt = stopHere();
    const frozen = rewire(store, async (call) => {
      if (call.collection === 'waiting_pages' && call.method === 'updateOne') await halt.here();
      return call.run();
    });
    const old = worker(frozen).deliver(input!);
    await halt.reached;
    await worker().deliver(input!);
    const page = await given();
    halt.goOn();
    await old;
    expect(await given()).toEqual(page);
    expect(await confirm(page!.id)).toBe(TYPE);
  });

  slowTest(
    'the totals of a delivery are those of the pages that were confirmed, whoever has confirmed them',
    async () => {
      const { input, page } = await laid('T1', 'T2', 'T3');
      await confirm(page.id);
      const second = await worker().deliver(input);
      expect([second.end, second.totals]).toMatchObject(['uncollected', { pages: 1, records: 2 }]);
      await confirm((await given())!.id);
      const last = await worker().deliver({ ...input, done: second.totals });
      expect([last.end, last.totals]).toMatchObject(['delivered', { pages: 2, records: 3 }]);
    },
  );

  slowTest('a channel that is paused keeps its page and its epoch', async () => {
    const { input, page } = await laid('T1');
    const set = (state: string) =>
      store.db.collection<{ _id: string }>('channels').updateOne({ _id: SLUG }, { $set: { state } });
    await set('paused');
    expect((await worker().deliver(input)).end).toBe('paused');
    await set('active');
    expect((await given())!.id).toBe(page.id);
    expect(await confirm(page.id)).toBe(TYPE);
  });

  const key = () => ({
    ...{ channel: SLUG, partner_id: 'policy-1', account: '42-1001' },
    farmer: farmerOf(store, '7015550142'),
  });
  const share = async () => {
    const channels = store.db.collection<{ _id: string }>('channels');
    await channels.updateOne({ _id: SLUG }, { $set: { scope: 'subscribed' } });
    await worker().plan(); // passes over what nobody shares
    await grantAccounts(store, await channel(), [key()]);
  };
  const openCatchUps = () =>
    store.client.withSession((session) => readOpenCatchUps(store, SLUG, TYPE, session));

  slowTest('a page of a catch-up moves the catch-up, and tells the farmer and everybody else', async () => {
    await push('T1', 'T2', 'T3');
    await share();
    const [input] = await worker().plan();
    const seen: string[] = [];
    for (let page = 0; page < 2; page += 1) {
      await ask();
      await worker().deliver(input!);
      const { id, ids } = (await given())!;
      seen.push(...ids);
      await confirm(id);
    }
    expect(seen).toEqual(['T1', 'T2', 'T3']);
    expect(await openCatchUps()).toMatchObject([{ position: 3, until: 3 }]);
    expect((await marker()).delivered_at).toBeInstanceOf(Date);
    const subscription = await store.db.collection('subscriptions').findOne({});
    expect(subscription!['sent']).toMatchObject({ delivery: expect.stringMatching(/catch-up$/) });
    const totals = { pages: 2, records: 3 };
    expect(await worker().deliver(input!)).toMatchObject({ end: 'delivered', totals });
    expect(await openCatchUps()).toEqual([]);
  });

  slowTest(
    'after a revoke neither a page of the catch-up nor one of the own window is given out',
    async () => {
      await push('T1');
      await share();
      await ask();
      await worker().run();
      const { id } = (await given())!;
      await revokeAccounts(store, [key()]);
      expect(await given()).toBeUndefined();
      expect(await confirm(id)).toBeNull();
      expect(await openCatchUps()).toEqual([]);
      await grantAccounts(store, await channel(), [key()]);
      await worker().plan();
      await push('T2');
      await store.db.collection<{ _id: string }>('markers').deleteMany({ account: { $exists: true } });
      await ask();
      await worker().run();
      expect((await given())!.ids).toEqual(['T2']);
      await revokeAccounts(store, [key()]);
      expect(await given()).toBeUndefined();
    },
  );

  test('a page that several accounts share ends the catch-ups of all with its confirmation', async () => {
    await pushRecords(store, {
      tickets: ['1001', '1002'].map((account_id) => ({ id: `T${account_id}`, account_id })),
    });
    const channels = store.db.collection<{ _id: string }>('channels');
    await channels.updateOne({ _id: SLUG }, { $set: { scope: 'subscribed' } });
    await worker().plan();
    const both = ['42-1001', '42-1002'].map((account) => ({ ...key(), account }));
    await grantAccounts(store, await channel(), both);
    await ask();
    const [input] = await worker().plan();
    await worker().deliver(input!);
    const page = (await given())!;
    expect(page.ids).toEqual(['T1001', 'T1002']);
    expect(await openCatchUps()).toHaveLength(2);
    expect(await confirm(page.id)).toBe(TYPE);
    expect(await openCatchUps()).toEqual([]);
    expect(await confirm(page.id)).toBe(TYPE);
    expect((await marker()).delivered_at).toBeInstanceOf(Date);
    expect(await store.db.collection('subscriptions').countDocuments({ sent: { $ne: null } })).toBe(2);
    expect(await worker().deliver(input!)).toMatchObject({
      end: 'delivered',
      totals: { pages: 1, records: 2 },
    });
  });

  test('an account counts as sent with a confirmation that counts, and with no other', async () => {
    await share();
    await worker().run();
    await push('T1');
    await ask();
    await worker().run();
    const overtaken = (await given())!;
    await resetChannelMarker(store, await channel(), TYPE, new Date(0));
    expect(await confirm(overtaken.id)).toBeNull();
    const sent = async () => (await store.db.collection('subscriptions').findOne({}))!['sent'] as unknown;
    expect(await sent()).toBeNull();
    await ask();
    await worker().run();
    expect(await confirm((await given())!.id)).toBe(TYPE);
    expect(await sent()).toMatchObject({ at: expect.any(Date) });
  });

  test('a page of a catch-up that was given out before a reset counts, as the reset leaves catch-ups alone', async () => {
    await push('T1');
    await share();
    await ask();
    await worker().run();
    const page = (await given())!;
    await resetChannelMarker(store, await channel(), TYPE, new Date(0));
    expect((await given())!.id).toBe(page.id);
    expect(await confirm(page.id)).toBe(TYPE);
    const [{ position, until } = {}] = await openCatchUps();
    expect([position, until, (await marker()).position]).toEqual([1, 1, 0]);
  });

  test('a confirmation from before a revoke is of no page behind it, which holds the same', async () => {
    await push('T1');
    await share();
    await push('T2');
    await ask();
    await worker().run();
    const before = (await given())!;
    await revokeAccounts(store, [key()]); // the customer forgets what it has
    await grantAccounts(store, await channel(), [key()]);
    await ask();
    await worker().run();
    const behind = (await given())!;
    expect([before.ids, behind.ids]).toEqual([['T2'], ['T2']]);
    expect(await confirm(before.id)).toBeNull();
    expect(await confirm(behind.id)).toBe(TYPE);
  });

  test('what the customer asked for while its pages were posted holds back no question', async () => {
    await laid('T1');
    const not_before = new Date(Date.now() + 3_600_000);
    await noteUnconfirmed(store, ID, { unanswered: false, not_before });
    const planRun = createPlanRun({ store });
    const plan = await asActivity(channelWorkflowId(SLUG), planRun, { slug: SLUG, trigger: 'pull' });
    expect(plan).toMatchObject({ held: [], windows: [{ entity_type: TYPE, records: 1 }] });
  });

  test('a page that waits is signed again once the signing secret was rotated', async () => {
    const { page } = await laid('T1');
    const { signingSecret: secret } = (await rotateSigningSecret(store, SLUG, { atOnce: true }))!;
    expect(await given()).toBeUndefined();
    await ask();
    await worker().run();
    const { id, ids, headers, body } = (await given())!;
    const signed = {
      id,
      timestamp: headers['webhook-timestamp']!,
      signatures: headers['webhook-signature']!,
    };
    expect([ids, flawOfPage(signed, body, { secret, now: new Date() })]).toEqual([page.ids, undefined]);
  });

  slowTest(
    'what is sent again is forgotten with its confirmation, and so is what was set aside',
    async () => {
      const refused = { failure: 'refused', status: 422, answer: '', delivery: 'x' } as const;
      const lane = { channel: SLUG, entity_type: TYPE } as const;
      await laid('T1', 'T2');
      await confirm((await given())!.id);
      await setAside(store, { ...lane, ...refused, record: '42-T1', position: 1 });
      await pushTickets(['T1'], 'v2');
      await ask();
      await worker().run();
      await confirm((await given())!.id);
      expect(await listSetAside(store, SLUG)).toEqual([]);
      await releaseForResend(store, { channel: SLUG, entity_type: TYPE }, [{ id: '42-T2', position: 2 }]);
      await ask();
      await worker().run();
      const again = (await given())!;
      expect(again.ids).toEqual(['T2']);
      const { position } = await marker();
      expect(await listReleased(store, SLUG)).toHaveLength(1);
      expect(await confirm(again.id)).toBe(TYPE);
      expect([await listReleased(store, SLUG), (await marker()).position]).toEqual([[], position]);
    },
  );

  slowTest(
    'a page of what is sent again waits no longer once the type’s own window has come by',
    async () => {
      await laid('T1');
      await confirm((await given())!.id);
      await releaseForResend(store, { channel: SLUG, entity_type: TYPE }, [{ id: '42-T1', position: 1 }]);
      await ask();
      await worker().run();
      const page = (await given())!;
      await takeEpoch(store, ID, 0);
      expect(await given()).toBeUndefined();
      expect(await confirm(page.id)).toBeNull();
      expect(await listReleased(store, SLUG)).toHaveLength(1);
    },
  );

  test('a question that comes while a plan is under way is not answered by it', async () => {
    await ask();
    let late: Promise<unknown> | undefined;
    const slow = rewire(store, async (call) => {
      const answer = await call.run();
      if (call.collection === 'counters' && !late) await (late = push('T1').then(() => ask()));
      return answer;
    });
    expect(await worker(slow).plan()).toEqual([]);
    expect(await readWaitingState(store, SLUG, TYPE)).toMatchObject({ asks: 2, settled: 1 });
  });

  class Killed extends Error {}

  /** A process whose calls end before one of them, or behind it: what comes later is of another process. */
  function dyingAt(call: number, when: 'before' | 'behind') {
    let [calls, isDead] = [0, false];
    const step = async ({ run }: Call) => {
      if (isDead) throw new Killed();
      calls += 1;
      if (calls === call) isDead = true;
      if (isDead && when === 'before') throw new Killed();
      const answer = await run();
      if (isDead) throw new Killed();
      return answer;
    };
    return {
      through: rewire(store, step),
      restart: () => void (isDead = false),
      hasCome: () => calls >= call,
    };
  }

  /** Five records are collected, each confirmation twice as its first answer is lost; both processes end at one of their calls. */
  async function collectAll({ through, restart }: ReturnType<typeof dyingAt>): Promise<string[][]> {
    const again = async <T>(step: () => Promise<T>): Promise<T> => {
      try {
        return await step();
      } catch (error) {
        if (!(error instanceof Killed)) throw error;
        restart();
        return step();
      }
    };
    const pages: string[][] = [];
    for (;;) {
      await again(() => ask(through));
      const results = await again(() => worker(through).run());
      if (results.length === 0) return pages;
      const page = await again(() => given(through));
      if (!page) continue;
      pages.push(page.ids);
      const isConfirmed = await again(() => confirm(page.id, through));
      if (!isConfirmed) continue;
      expect(await confirm(page.id)).toBe(TYPE);
      expect((await marker()).position).toBeGreaterThanOrEqual(pages.flat().length - 2);
    }
  }

  async function killedAtEach(when: 'before' | 'behind', every: number): Promise<void> {
    for (let call = 1; ; call += every) {
      await openAnew();
      await push('T1', 'T2', 'T3', 'T4', 'T5');
      const dying = dyingAt(call, when);
      const pages = await collectAll(dying);
      const once = pages.filter((page, index) => page.join() !== pages[index - 1]?.join());
      expect([call, once]).toEqual([call, [['T1', 'T2'], ['T3', 'T4'], ['T5']]]);
      expect(pages.length - once.length).toBeLessThanOrEqual(1);
      expect((await marker()).position).toBe(5);
      if (!dying.hasCome()) return;
    }
  }

  const LONGEST_MS = 600_000;

  slowTest(
    'where API or worker ends nothing is lost, and one page at most comes twice',
    () => killedAtEach('behind', 23),
    LONGEST_MS,
  );

  nightlyTest.each(['before', 'behind'] as const)(
    'so it is where they end %s any of their calls',
    (when) => killedAtEach(when, 1),
    LONGEST_MS,
  );
});

describe('judge-answer', () => {
  // The table of docs/contract.md C8: every status, with what it is taken for. `searched` and `halved` go on by
  // themselves (test/workflows/feed-delivery.test.ts); here it matters that nothing but a 2xx moves the marker.
  const CONFIRMED = [200, 201, 202, 203, 204, 206, 299];

  const NOT_CONFIRMED: Record<string, { statuses: number[]; advice?: RegExp }> = {
    unavailable: { statuses: [408, 425, 500, 502, 503, 504, 507, 599] },
    throttled: { statuses: [429] },
    refused: { statuses: [400, 409, 422], advice: /what its endpoint expects; nothing was set aside$/ },
    unauthorized: { statuses: [401, 403, 407], advice: /^check the channel’s authorization$/ },
    gone: { statuses: [410], advice: /^ask the customer whether the feed is still wanted$/ },
    misconfigured: {
      statuses: [300, 301, 302, 303, 304, 307, 308, 402, 404, 405, 406, 411, 415, 418, 451, 499, 501, 505],
      advice: /^check the channel’s base URL$/,
    },
  };

  const all = Object.entries(NOT_CONFIRMED).flatMap(([failure, { statuses, advice }]) =>
    statuses.map((status) => ({ status, failure, advice })),
  );

  /** One attempt at a window of two records, from the marker. */
  async function answered(scene: Scene, reply: Reply): Promise<DeliverResult & { from: number }> {
    scene.customer.script = () => reply;
    const [input] = await scene.plan();
    return { ...(await scene.attempt(input!)), from: input!.from };
  }

  slowTest('every status of the table is taken for what it is, and only a 2xx moves the marker', () =>
    withScene(10, async (scene) => {
      for (const status of CONFIRMED) {
        await scene.push('T1', 'T2');
        const { end, from } = await answered(scene, status);
        expect([status, end]).toEqual([status, 'delivered']);
        expect(await scene.position()).toBe(from + 2);
      }
      await scene.push('T1', 'T2');
      const kept = await scene.position();
      for (const { status, failure, advice } of all) {
        const { unconfirmed } = await answered(scene, status);
        // or it would be searched in its third delivery
        await scene.store.db.collection('markers').updateMany({}, { $unset: { stumble: 1 } });
        expect(unconfirmed).toMatchObject({ status, failure, retry_after_ms: null });
        expect(unconfirmed!.reason).toMatch(new RegExp(`^answered ${status}( to every record tried)?$`));
        if (advice) expect(unconfirmed!.advice).toMatch(advice);
        else expect(unconfirmed!.advice).toBeUndefined();
        expect(await scene.position()).toBe(kept);
      }
    }),
  );

  slowTest('413 to a page halves it; the marker stays', () =>
    withScene(10, async (scene) => {
      await scene.push('T1', 'T2', 'T3', 'T4');
      const { end, from } = await answered(scene, 413);
      expect(end).toBe('resized');
      expect(await scene.position()).toBe(from);
      expect(await scene.plan()).toMatchObject([{ page_size: 2 }]);
    }),
  );

  const RETRY_AFTER: [text: string, wait: number | null][] = [
    ['120', 120_000],
    ['0', 1_000],
    ['86400', 3_600_000],
    ['Wed, 21 Oct 2015 07:28:00 GMT', 1_000],
    ['soon', null],
    ['-5', null],
    ['1e3', null],
  ];

  slowTest(
    'a Retry-After is kept between a second and an hour, in seconds or as a date; others are left aside',
    () =>
      withScene(10, async (scene) => {
        await scene.push('T1');
        const askedBy = async (status: number, text: string) => {
          const { unconfirmed } = await answered(scene, { status, headers: { 'retry-after': text } });
          return unconfirmed!.retry_after_ms;
        };
        for (const status of [429, 503]) {
          for (const [text, wait] of RETRY_AFTER)
            expect([text, await askedBy(status, text)]).toEqual([text, wait]);
        }
        const asked = await askedBy(429, new Date(Date.now() + 600_000).toUTCString());
        expect(Math.abs(asked! - 600_000)).toBeLessThan(60_000);
      }),
  );
});
