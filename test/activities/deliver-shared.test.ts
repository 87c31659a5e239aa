import { MAX_CATCH_UPS } from '../../activities/deliver/deliver-catch-ups';
import { createPlanRun } from '../../activities/plan-run';
import type { Trigger } from '../../domain/deliveries/delivery';
import type { EntityType } from '../../domain/records/entity-types';
import { listAlerts, raiseAlert } from '../../store/alerts/alerts';
import { type Channel, findChannel, pauseChannel } from '../../store/channels/channels';
import { listCatchUps } from '../../store/markers/catch-ups';
import { markerId, noteUnconfirmed, readMarkers, takeEpoch } from '../../store/markers/markers';
import { listSetAside, releaseSetAside, setAside } from '../../store/deliveries/set-aside';
import { setChannel } from '../../store/channels/set-channel';
import { askForPage, readWaitingState } from '../../store/markers/waiting-pages';
import { isPageRead } from '../commit-order/both-halves';
import { rewire } from '../commit-order/rewire';
import { type Scene, withScene } from '../commit-order/scene';
import { SLUG } from '../setup/stand';
import { asActivity } from '../setup/as-activity';
import { pushRecords } from '../setup/push-records';
import { grantAccounts } from '../setup/share-accounts';
import { openSharedScene, type SharedScene } from '../sharing/open-shared-scene';
import { refusalOf } from './deliver/refusal-of';
import { withSlowPages } from './deliver/with-slow-pages';
import { slowTest } from '../setup/cases';

describe('of a channel that farmers share with', () => {
  let scene: SharedScene;
  beforeEach(async () => {
    scene = await openSharedScene(1);
  });

  test('of one farmer’s many accounts and another’s single one, granted later, the single one goes first, at the next plan', async () => {
    const many = Array.from({ length: 5 }, (_, index) => `${2_000 + index}`);
    for (const account of [...many, '3000']) await scene.pushTickets({ [`T-${account}`]: [account] });
    await scene.run();
    await scene.grantAll(many);
    const [first] = (await scene.plan()).filter(({ catch_up }) => catch_up);
    await scene.grant('3000', 'policy-2');
    await scene.plan(); // begins it, as another worker's plan may
    await scene.worker().deliver({ ...first!, records: 2 });
    expect(scene.posted()).toHaveLength(2); // as much as was planned, and no more
    const before = scene.posted().includes('T-3000') ? [] : ['T-3000'];
    await scene.run();
    expect(scene.posted().slice(2, 2 + before.length)).toEqual(before);
    expect([...scene.posted()].sort()).toEqual([...many, '3000'].map((account) => `T-${account}`));
  });

  test('accounts that are left out, as less was planned than there is, are planned again at once', async () => {
    for (const account of ['1001', '1002']) await scene.pushTickets({ [`T-${account}`]: [account] });
    await scene.run();
    await scene.grantAll(['1001', '1002']);
    const [planned] = await scene.plan();
    const tooFew = { ...planned!, records: 1 };
    const partly = await scene.worker().deliver(tooFew);
    expect(partly).toMatchObject({ end: 'delivered', more: true, totals: { records: 1 } });
    expect(scene.posted()).toHaveLength(1);
    const rest = await scene.worker().deliver({ ...tooFew, records: 0 });
    expect([rest.end, rest.more]).toEqual(['delivered', undefined]);
  });

  describe('where several accounts fit on a page', () => {
    const FIVE = ['1001', '1002', '1003', '1004', '1005'];
    const ofFive = () => Object.fromEntries(FIVE.map((account) => [`T-${account}`, [account]]));
    const pages = () => scene.customer.pages.map(({ records }) => records.map(({ remote_id }) => remote_id));
    const left = async () =>
      (await listCatchUps(scene.store, SLUG, 'tickets')).map(({ account }) => account).sort();

    beforeEach(async () => {
      await scene.setPageSize(3);
      await scene.pushTickets({ ...ofFive(), 'T-2': ['1002'] });
      await scene.run();
      for (const account of FIVE) await scene.grant(account);
    });

    test('they share it, the newest grants first, each as a whole', async () => {
      expect(await scene.run()).toMatchObject([{ end: 'delivered', totals: { pages: 2, records: 6 } }]);
      expect(pages().map((page) => page.sort())).toEqual([
        ['T-1003', 'T-1004', 'T-1005'],
        ['T-1001', 'T-1002', 'T-2'],
      ]);
      expect(await left()).toEqual([]);
      expect((await readMarkers(scene.store, SLUG)).get('tickets')!.delivered_at).toBeInstanceOf(Date);
    });

    const OVERTAKING: [string, () => Promise<unknown>, string[]][] = [
      ['a new grant of one', () => scene.revoke('1004').then(() => scene.grant('1004')), ['42-1004']],
      [
        'another attempt at one',
        () => takeEpoch(scene.store, `${SLUG}/tickets/42-1004`, generation),
        ['42-1004'],
      ],
      ['a revoke of one', () => scene.revoke('1004'), []],
    ];
    let generation: number;

    slowTest.each(OVERTAKING)(
      '%s while the page is in flight leaves that one alone as it is',
      async (_, come, later) => {
        const [input] = await scene.plan();
        generation = (await listCatchUps(scene.store, SLUG, 'tickets')).find(
          ({ account }) => account === '42-1004',
        )!.generation;
        scene.customer.script = async () => {
          if (scene.customer.pages.length <= 1) await come();
          return 200;
        };
        await scene.worker().deliver(input!);
        await scene.plan();
        expect(await left()).toEqual(later);
        await scene.run();
        expect(scene.posted().filter((id) => id === 'T-1004')).toHaveLength(1 + later.length);
        expect([...new Set(scene.posted())].sort()).toEqual([...FIVE.map((id) => `T-${id}`), 'T-2']);
        expect(await left()).toEqual([]);
      },
    );

    test('a record that is refused is found, account by account, and holds up no other', async () => {
      scene.customer.script = ({ records }) =>
        records.some(({ remote_id }) => remote_id === 'T-1004') ? 422 : 200;
      await scene.run();
      expect(await listSetAside(scene.store, SLUG)).toMatchObject([{ record: '42-T-1004' }]);
      expect(await left()).toEqual([]);
      const confirmed = scene.customer.pages.filter(({ status }) => status === 200);
      const ids = confirmed.flatMap(({ records }) => records.map(({ remote_id }) => remote_id));
      expect([...new Set(ids)].sort()).toEqual(['T-1001', 'T-1002', 'T-1003', 'T-1005', 'T-2']);
    });

    test('a record at which the receiver fails, so that its proxy answers 502, holds up no other account', async () => {
      scene.customer.script = ({ records }) =>
        records.some(({ remote_id }) => remote_id === 'T-1005') ? 502 : 200;
      expect(await scene.run()).toMatchObject([{ end: 'unconfirmed', unconfirmed: { status: 502 } }]);
      expect(await left()).toEqual(['42-1005']);
    });

    test('two of them hold up the others once: at the next try they come behind those', async () => {
      scene.customer.script = ({ records }) =>
        records.some(({ remote_id }) => ['T-1004', 'T-1005'].includes(remote_id)) ? 502 : 200;
      await scene.run();
      expect(await left()).toHaveLength(5); // both are the newest
      await scene.run();
      expect(await left()).toEqual(['42-1004', '42-1005']);
    });

    slowTest.each([
      [503, [1]],
      [502, [1, 1]],
    ])(
      'a customer that is away gets one page and no more than its first accounts alone: %i',
      async (status, alone) => {
        scene.customer.script = () => status;
        const [input] = await scene.plan();
        await scene.worker().deliver(input!);
        const first = status === 503 ? [3] : [3, ...alone];
        expect(pages().map(({ length }) => length)).toEqual(first);
        await scene.worker().deliver({ ...input!, unanswered: true });
        expect(pages()).toHaveLength(first.length + alone.length);
      },
    );

    slowTest('an account of which more is left than was counted goes alone', async () => {
      const [input] = await scene.plan();
      const catchUps = scene.store.db.collection<{ _id: string }>('markers');
      await catchUps.updateMany({ account: { $exists: true } }, { $set: { total: 0 } });
      await scene.worker().deliver(input!);
      expect(pages().map(({ length }) => length)).toEqual([1, 1, 1, 2, 1]);
    });
  });

  slowTest.each<[string, () => Promise<unknown>]>([
    ['a revoke', () => scene.revoke('1001')],
    ['a pause', () => pauseChannel(scene.store, SLUG, 'asked')],
    ['a new address', () => setChannel(scene.store, SLUG, { base_url: 'http://127.0.0.1:1' })],
    ['its type was taken', () => setChannel(scene.store, SLUG, { entity_types: ['accounts'] })],
    ['its pages are collected', () => setChannel(scene.store, SLUG, { delivery: 'pull' })],
  ])('a page whose kept connection failed does not go out again after %s', async (_, change) => {
    await scene.grant('1001');
    await scene.run();
    await scene.pushTickets({ 'T-1': ['1001'], 'T-2': ['1001'] });
    scene.customer.script = async ({ records }) => {
      if (records[0]?.remote_id === 'T-1') return 200;
      await change();
      return 'hang-up'; // as if the customer had closed the connection just when the page came
    };
    await scene.run();
    expect(scene.posted()).toEqual(['T-1', 'T-2']);
  });

  slowTest('an endpoint that refuses every account is sent those of twenty and no more', async () => {
    const accounts = Array.from({ length: 22 }, (_, index) => `${1001 + index}`);
    await scene.pushTickets(Object.fromEntries(accounts.map((account) => [`T-${account}`, [account]])));
    await scene.run();
    await scene.grantAll(accounts);
    scene.customer.script = () => 422;
    await scene.run();
    expect(scene.posted()).toHaveLength(20);
    expect(await listSetAside(scene.store, SLUG)).toEqual([]);
  });

  /** Tickets of accounts that are shared only after the channel's own marker has passed them. */
  async function shareLater(tickets: Record<string, string[]>) {
    await scene.pushTickets(tickets);
    await scene.run();
    await scene.grantAll([...new Set(Object.values(tickets).flat())]);
  }

  slowTest('a customer that is away is not sent one account after the other', async () => {
    await shareLater({ 'T-1': ['1001'], 'T-2': ['1002'], 'T-3': ['1003'] });
    scene.customer.script = () => 503;
    await scene.run();
    expect(scene.posted()).toEqual(['T-1']);
  });

  slowTest(
    'an account whose one record is refused is set aside where another one was confirmed',
    async () => {
      await shareLater({ 'T-1': ['1001'], 'T-2': ['1002'] });
      scene.customer.script = ({ records }) => (records[0]?.remote_id === 'T-1' ? 422 : 200);
      expect(await scene.run()).toMatchObject([{ end: 'delivered' }]);
      expect(await listSetAside(scene.store, SLUG)).toMatchObject([{ record: '42-T-1' }]);
      expect(scene.posted()).toEqual(['T-1', 'T-2', 'T-1']);
    },
  );

  slowTest('a record that is too large by itself is one that is refused', async () => {
    await shareLater({ 'T-1': ['1001'], 'T-2': ['1002'], 'T-3': ['1003'] });
    scene.customer.script = ({ records }) => (records[0]?.remote_id === 'T-1' ? 413 : 422);
    await scene.run();
    expect(await listSetAside(scene.store, SLUG)).toEqual([]);
    scene.customer.script = ({ records }) => (records[0]?.remote_id === 'T-1' ? 413 : 200);
    await scene.run();
    expect(await listSetAside(scene.store, SLUG)).toMatchObject([{ record: '42-T-1', failure: 'too_large' }]);
  });

  slowTest.each([
    ['slowly', 8, 1, 11_000],
    ['in as many requests as a search has', 9, 100, 0],
  ])(
    'accounts of which all is refused %s keep the next one from nothing',
    async (_, refused, tickets, ms) => {
      await scene.setPageSize(tickets);
      const accounts = Array.from({ length: refused + 1 }, (_, index) => `${1001 + index}`);
      const ticketsOf = (account: string) =>
        Array.from({ length: tickets }, (_, index): [string, string[]] => [
          `T-${account}-${index}`,
          [account],
        ]);
      await shareLater(Object.fromEntries(accounts.flatMap(ticketsOf)));
      const last = `T-${accounts.at(-1)}-0`;
      scene.customer.script = ({ records }) => (records[0]?.remote_id === last ? 200 : 422);
      await withSlowPages(scene, ms, () => scene.run());
      const confirmed = scene.customer.pages.filter(({ status }) => status === 200);
      expect(confirmed.map(({ records }) => records.length)).toEqual([tickets]);
    },
  );

  slowTest('a first slice, in the queue of all, compares them for ten seconds', async () => {
    await shareLater({ 'T-1': ['1001'], 'T-2': ['1002'] });
    scene.customer.script = () => 422;
    const [input] = await scene.plan();
    const first = await withSlowPages(scene, 11_000, () => scene.worker().deliver(input!));
    expect([first.end, scene.posted()]).toEqual(['more', ['T-1']]);
  });

  slowTest(
    'an account that is revoked while its records are sent keeps the others from nothing',
    async () => {
      await shareLater({ 'T-1': ['1001'], 'T-2': ['1001'], 'T-3': ['1002'] });
      scene.customer.script = async ({ records }) => {
        if (records[0]?.remote_id === 'T-1') await scene.revoke('1001');
        return 200;
      };
      await scene.run();
      expect(scene.posted()).toEqual(['T-1', 'T-3']);
    },
  );

  slowTest('of an account of an elevator that the channel does not have nothing is sent', async () => {
    const channels = scene.store.db.collection<{ _id: string }>('channels');
    await channels.updateOne({ _id: SLUG }, { $set: { companies: ['43'] } });
    await shareLater({ 'T-1': ['1001'] });
    await scene.run();
    expect(scene.posted()).toEqual([]);
  });

  slowTest(
    'a page of which nothing is shared any more is not posted, and does not count as confirmed',
    async () => {
      await scene.grant('1001');
      await scene.run();
      await scene.pushTickets({ 'T-1': ['1001'] });
      let revoked: Promise<unknown> | undefined;
      const revoking = rewire(scene.store, async (call) => {
        const read = await call.run();
        if (isPageRead(call)) await (revoked ??= scene.revoke('1001'));
        return read;
      });
      const ended = await scene.worker(revoking, 'revoking').run();
      expect(ended).toMatchObject([{ end: 'delivered', totals: { pages: 0, records: 0 } }]);
      expect([await revoked, scene.customer.pages]).toEqual([1, []]);
    },
  );

  slowTest(
    'a customer that answers again counts as answering, also where nothing but catch-ups is sent',
    async () => {
      await scene.pushTickets({ 'T-1': ['1001'] });
      await scene.run();
      await scene.grant('1001');
      const unanswered = { unanswered: true };
      await noteUnconfirmed(scene.store, markerId(SLUG, 'tickets'), unanswered);
      await scene.run();
      expect(scene.posted()).toEqual(['T-1']);
      expect((await readMarkers(scene.store, SLUG)).get('tickets')!.unanswered).toBe(false);
    },
  );

  slowTest('a released record of an account that was revoked goes nowhere', async () => {
    await scene.grant('1001');
    await scene.pushTickets({ 'T-1': ['1001'] });
    await scene.run();
    await setAside(scene.store, refusalOf('T-1'));
    await releaseSetAside(scene.store, SLUG, {});
    await scene.revoke('1001');
    await scene.run();
    expect([scene.posted(), await listSetAside(scene.store, SLUG)]).toEqual([['T-1'], []]);
  });

  slowTest('what the customer has not taken leaves the time of the last delivery as it was', async () => {
    await scene.pushTickets({ 'T-1': ['1001'] });
    await scene.run();
    scene.customer.script = () => 413;
    await scene.grant('1001');
    await scene.run();
    expect(scene.posted()).toEqual(['T-1']);
    expect((await readMarkers(scene.store, SLUG)).get('tickets')!.delivered_at).toBeNull();
  });

  slowTest(
    'nor does a released record whose account is revoked between its reading and its page',
    async () => {
      await scene.grant('1001');
      await scene.pushTickets({ 'T-1': ['1001'] });
      await scene.run();
      await setAside(scene.store, refusalOf('T-1'));
      await releaseSetAside(scene.store, SLUG, {});
      const before = (await readMarkers(scene.store, SLUG)).get('tickets')!.delivered_at;
      let [listed, revoked] = [false, false];
      const revoking = rewire(scene.store, async ({ collection, method, run }) => {
        const result = await run();
        if (collection === 'set_aside' && method === 'find') listed = true;
        if (collection !== 'tickets' || !listed || revoked) return result;
        revoked = true;
        await scene.revoke('1001');
        return result;
      });
      await scene.worker(revoking, 'revoking').run();
      expect([revoked, scene.posted()]).toEqual([true, ['T-1']]);
      expect((await readMarkers(scene.store, SLUG)).get('tickets')!.delivered_at).toEqual(before);
    },
  );

  slowTest('a catch-up that was begun after the plan is left to the next run', async () => {
    const { customer } = scene;
    const worker = scene.worker(scene.store, 'worker');
    await scene.pushTickets({ 'T-1': ['1001'], 'T-2': ['1002'] });
    await worker.run();
    await scene.grant('1001');
    const [planned] = await worker.plan();
    await scene.pushTickets({ 'T-3': ['1002'] });
    await scene.run();
    await scene.grant('1002');
    await scene.plan();
    customer.pages.length = 0;
    await worker.deliver({ ...planned!, to: 2 });
    expect(scene.posted()).not.toContain('T-2');
    await scene.run();
    expect(scene.posted()).toEqual(expect.arrayContaining(['T-2', 'T-3']));
  });
});

describe('plan-run', () => {
  const marker = async ({ store }: Scene) => (await readMarkers(store, SLUG)).get('tickets')!;

  const plan = ({ store }: Scene, trigger: Trigger = 'schedule') =>
    asActivity('test', createPlanRun({ store }), { slug: SLUG, trigger });

  const change = ({ store }: Scene, changed: Partial<Channel>) =>
    store.db.collection<Channel>('channels').updateOne({ _id: SLUG }, { $set: changed });

  test('where nothing lies above the marker, the plan leaves it alone: no attempt is fenced out for nothing', () =>
    withScene(10, async (scene) => {
      await scene.push('T1');
      await scene.run();
      const before = await marker(scene);
      expect(await plan(scene)).toMatchObject({ state: 'active', windows: [] });
      expect(await marker(scene)).toEqual(before);
    }));

  test('a page is not sent again because nobody could note that it was sent', () =>
    withScene(10, async (scene) => {
      await scene.push('T1', 'T2');
      await scene.store.db
        .collection<{ _id: string }>('channels')
        .updateOne({ _id: SLUG }, { $set: { scope: 'subscribed' } });
      const channel = (await findChannel(scene.store, SLUG))!;
      await grantAccounts(scene.store, channel, [
        { channel: SLUG, partner_id: 'policy-1', farmer: 'f', account: '42-1001' },
      ]);
      const failing = rewire(scene.store, ({ collection, method, run }) => {
        if (collection === 'subscriptions' && method === 'updateMany') throw new Error('no primary');
        return run();
      });
      const [input] = await scene.plan();
      expect((await scene.attempt(input!, failing)).end).toBe('delivered');
      expect([await scene.position(), scene.customer.pages.length]).toEqual([2, 1]);
    }));

  test('one record above the marker is planned', () =>
    withScene(10, async (scene) => {
      await scene.push('T1');
      await scene.run();
      await scene.push('T1');
      expect(await plan(scene)).toMatchObject({ windows: [{ from: 1, to: 2, records: 1 }] });
    }));

  test('a customer that asked for time is not planned before that is over, but by deliver now', () =>
    withScene(10, async (scene) => {
      await scene.push('T1');
      await scene.plan();
      const until = (ms: number) => ({ not_before: new Date(Date.now() + ms), unanswered: false });
      const { _id } = await marker(scene);
      await noteUnconfirmed(scene.store, _id, until(60_000));
      expect(await plan(scene)).toMatchObject({ windows: [], held: [{ entity_type: 'tickets' }] });
      expect(await plan(scene, 'deliver-now')).toMatchObject({ windows: [{ records: 1 }], held: [] });
      await noteUnconfirmed(scene.store, _id, until(-1));
      expect(await plan(scene)).toMatchObject({ windows: [{ records: 1 }], held: [] });
    }));

  test('a paused channel is planned nothing, and its marker stays where it is', () =>
    withScene(10, async (scene) => {
      await scene.push('T1');
      await pauseChannel(scene.store, SLUG, 'asked');
      expect(await plan(scene)).toMatchObject({ state: 'paused', reason: 'asked' });
      expect(await marker(scene)).toMatchObject({ position: 0, epoch: 0 });
    }));

  test('only a run with something to send takes a number', () =>
    withScene(10, async (scene) => {
      await plan(scene);
      expect((await findChannel(scene.store, SLUG))!.run).toBe(0);
      await scene.push('T1');
      expect(await plan(scene)).toMatchObject({ run: 1 });
    }));

  test('what is set aside is planned once it is released, and not before', () =>
    withScene(10, async (scene) => {
      await scene.push('T1');
      await scene.run();
      await setAside(scene.store, {
        ...{ channel: SLUG, entity_type: 'tickets', record: '42-T1', position: 1 },
        ...{ failure: 'refused', status: 422, answer: '', delivery: 'test' },
      });
      expect(await plan(scene)).toMatchObject({ windows: [] });
      await releaseSetAside(scene.store, SLUG, {});
      expect(await plan(scene)).toMatchObject({ windows: [{ catch_up: true, records: 1 }] });
    }));

  test('a plan that finds nothing makes a channel fresh when it is of all entity types', () =>
    withScene(10, async ({ store }) => {
      const channels = store.db.collection<Channel>('channels');
      await channels.updateOne({ _id: SLUG }, { $set: { entity_types: ['accounts', 'tickets'] } });
      const freshAfter = async (entity_types?: EntityType[]) => {
        const input = { slug: SLUG, trigger: 'schedule', ...(entity_types && { entity_types }) } as const;
        await asActivity('test', createPlanRun({ store }), input);
        return (await findChannel(store, SLUG))!.fresh_at;
      };
      expect(await freshAfter(['accounts'])).toBeUndefined();
      expect(await freshAfter()).toBeInstanceOf(Date);
    }));

  slowTest(
    'what a customer has asked for of one type holds back no other, and the alert of that type stays',
    () =>
      withScene(10, async (scene) => {
        const { store } = scene;
        await change(scene, { entity_types: ['accounts', 'tickets'] });
        await pushRecords(store, { accounts: [{ id: '1001', name: 'Meyer Farms' }] });
        await scene.push('T1');
        await plan(scene);
        const alert = { class: 'throttled', subject: 'tickets', message: 'answered 429' } as const;
        await raiseAlert(store, { channel: SLUG, ...alert }, new Date());
        const notBefore = new Date(Date.now() + 60_000);
        await noteUnconfirmed(store, markerId(SLUG, 'tickets'), { not_before: notBefore, unanswered: false });
        expect(await plan(scene)).toMatchObject({
          windows: [{ entity_type: 'accounts' }],
          held: [{ entity_type: 'tickets' }],
        });
        expect(await listAlerts(store)).toMatchObject([{ class: 'throttled', subjects: ['tickets'] }]);
      }),
  );

  slowTest('where as many newly shared accounts wait as one delivery takes, the others follow at once', () =>
    withScene(10, async (scene) => {
      await plan(scene);
      const markers = scene.store.db.collection<{ _id: string }>('markers');
      const one = {
        channel: SLUG,
        entity_type: 'tickets',
        position: 0,
        until: 1,
        total: 1,
        generation: 1,
        epoch: 1,
      };
      const begun = Array.from({ length: MAX_CATCH_UPS }, (_, index) => ({
        _id: `${markerId(SLUG, 'tickets')}/42-${index}`,
        account: `42-${index}`,
        ...one,
      }));
      await markers.insertMany(begun.slice(1));
      expect(await plan(scene)).toMatchObject({ windows: [{ records: MAX_CATCH_UPS - 1, more: false }] });
      await markers.insertOne(begun[0]!);
      expect(await plan(scene)).toMatchObject({ windows: [{ records: MAX_CATCH_UPS, more: true }] });
    }),
  );

  test('a question for a type that is being delivered is not answered by a plan of another', () =>
    withScene(10, async (scene) => {
      const { store } = scene;
      await change(scene, { entity_types: ['accounts', 'tickets'], delivery: 'pull' });
      await scene.push('T1');
      await askForPage(store, SLUG, 'tickets');
      const others: EntityType[] = ['accounts'];
      const input = { slug: SLUG, trigger: 'pull', entity_types: others } as const;
      await asActivity('test', createPlanRun({ store }), input);
      const asked = await readWaitingState(store, SLUG, 'tickets');
      expect(asked).toMatchObject({ asks: 1 });
      expect(asked).not.toHaveProperty('settled');
    }));
});
