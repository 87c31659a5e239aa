import { findChannel } from '../../store/channels/channels';
import { listChannelMarkers } from '../../store/markers/list-channel-markers';
import { resetChannelMarker } from '../../store/markers/reset-channel-marker';
import { setChannel } from '../../store/channels/set-channel';
import { records } from '../../store/records/records';
import { listConsents } from '../../store/consent/consents';
import { farmerIdOf } from '../setup/farmer-id-of';
import { TermsChanged } from '../../store/sharing/grant-and-revoke';
import { listGranted } from '../../store/consent/subscriptions';
import { verifyConsents } from '../../store/consent/verify-consents';
import type { Store } from '../../store/store';
import { isReset } from '../commit-order/both-halves';
import { type Call, rewire } from '../commit-order/rewire';
import { stopHere } from '../commit-order/stop-here';
import { accountsOf, PHONE, pushAccounts, startFarmers } from '../farmer/start-farmers';
import { textOf } from '../farmer/visitor';
import { addTestChannel } from '../setup/add-test-channel';
import { emptyStore } from '../setup/open-store';
import { grantAccounts, revokeAccounts } from '../setup/share-accounts';
import { accountId, openSharedScene, type SharedScene } from './open-shared-scene';
import { isBump } from './share-calls';
import { slowTest } from '../setup/cases';

let scene: SharedScene;
beforeEach(async () => {
  scene = await openSharedScene(2);
});

describe('sharing', () => {
  describe('a channel of scope subscribed', () => {
    it('gets nothing before a farmer shares, and its marker moves on', async () => {
      await scene.pushTickets({ 'T-1': ['1001'], 'T-2': ['1002'] });
      await scene.run();
      expect(scene.customer.pages).toHaveLength(0);
      expect(await scene.position()).toBe(2);
    });

    it('gets the earlier and the later records of a granted account, and nothing of another', async () => {
      await scene.pushTickets({ 'T-1': ['1001'], 'T-2': ['1002'], 'T-3': ['1001'], 'T-4': ['1001'] });
      await scene.run();
      await scene.grant('1001');
      await scene.run();
      expect(scene.posted()).toEqual(['T-1', 'T-3', 'T-4']);
      await scene.pushTickets({ 'T-5': ['1001'], 'T-6': ['1002'] });
      await scene.run();
      expect(scene.posted(2)).toEqual(['T-5']);
    });

    it('counts the pages of a catch-up by themselves', async () => {
      await scene.pushTickets({ 'T-1': ['1001'], 'T-2': ['1001'], 'T-3': ['1001'] });
      await scene.run();
      await scene.grant('1001');
      await scene.run(undefined, 1);
      await scene.run();
      const metas = scene.customer.pages.map(({ meta }) => [
        meta.current_page,
        meta.page_count,
        meta.total_count,
      ]);
      expect(metas).toEqual([
        [1, 2, 3],
        [2, 1, 3],
      ]);
    });

    it('goes on with page numbers within their total when the page size has grown since', async () => {
      await scene.pushTickets(Object.fromEntries([1, 2, 3, 4, 5, 6].map((n) => [`T-${n}`, ['1001']])));
      await scene.run();
      await scene.grant('1001');
      await scene.run(undefined, 2);
      await scene.store.db
        .collection<{ _id: string }>('channels')
        .updateOne({ _id: 'acme' }, { $set: { page_size: 4 } });
      await scene.run();
      expect(scene.customer.pages.map(({ meta }) => `${meta.current_page} of ${meta.total_pages}`)).toEqual([
        '1 of 3',
        '2 of 3',
        '2 of 2',
      ]);
    });

    it('gets a split ticket when any of its accounts is shared', async () => {
      await scene.grant('1002');
      await scene.pushTickets({ 'T-1': ['1001', '1002'], 'T-2': ['1001', '1003'] });
      await scene.run();
      expect(scene.posted()).toEqual(['T-1']);
    });

    it('keeps an account that another partner_id still shares', async () => {
      await scene.grant('1001', 'policy-1');
      await scene.grant('1001', 'policy-2');
      await scene.revoke('1001', 'policy-1');
      await scene.pushTickets({ 'T-1': ['1001'] });
      await scene.run();
      expect(scene.posted()).toEqual(['T-1']);
      await scene.revoke('1001', 'policy-2');
      await scene.pushTickets({ 'T-2': ['1001'] });
      await scene.run();
      expect(scene.posted(1)).toEqual([]);
    });

    it('drops what is revoked between the reading of a page and its POST, and goes on with the rest', async () => {
      await scene.grant('1001');
      await scene.grant('1002');
      await scene.run();
      await scene.pushTickets({ 'T-1': ['1002'], 'T-2': ['1001'], 'T-3': ['1001'], 'T-4': ['1002'] });
      scene.customer.script = async () => {
        await scene.revoke('1001');
        return 200;
      };
      await scene.run();
      // The first page had begun when the revoke was answered; the next ones hold nothing of the account.
      expect(scene.posted()).toEqual(['T-1', 'T-2', 'T-4']);
    });

    it('ends a catch-up at once when the account is revoked', async () => {
      await scene.pushTickets({ 'T-1': ['1001'], 'T-2': ['1001'], 'T-3': ['1001'] });
      await scene.run();
      await scene.grant('1001');
      await scene.run(undefined, 1);
      await scene.revoke('1001');
      await scene.run();
      expect(scene.posted()).toEqual(['T-1', 'T-2']);
    });

    it('ends it, too, where another customer still gets the account', async () => {
      const { store, customer } = scene;
      await addTestChannel(store, 'bank', customer.baseUrl, { scope: 'subscribed' });
      const key = { channel: 'bank', partner_id: 'loan-1', farmer: 'meyer', account: accountId('1001') };
      await grantAccounts(store, (await findChannel(store, 'bank'))!, [key]);
      await scene.pushTickets({ 'T-1': ['1001'], 'T-2': ['1001'], 'T-3': ['1001'] });
      await scene.run();
      await scene.grant('1001');
      await scene.run(undefined, 1);
      await scene.revoke('1001');
      const ofAcme = { channel: 'acme', account: accountId('1001') };
      expect(await store.db.collection('markers').countDocuments(ofAcme)).toBe(0);
      await scene.run();
      expect(scene.posted()).toEqual(['T-1', 'T-2']);
    });

    it('comes under another id once the account was revoked in between: its customer has forgotten what was on it', async () => {
      await scene.grant('1001');
      await scene.run();
      await scene.pushTickets({ 'T-1': ['1001'] });
      scene.customer.script = () => 504; // it was applied, and its answer was lost
      await scene.run();
      await scene.run();
      await scene.revoke('1001');
      await scene.grant('1001');
      scene.customer.script = () => 200;
      await scene.run();
      expect(scene.posted()).toEqual(['T-1', 'T-1', 'T-1']);
      const [first, again, anew] = scene.customer.pages.map(({ headers }) => headers['webhook-id']);
      expect([again === first, anew === first]).toEqual([true, false]);
    });

    it('sends all again after a reset, and what a running catch-up has left by that as well', async () => {
      await scene.pushTickets({ 'T-1': ['1001'], 'T-2': ['1001'], 'T-3': ['1001'], 'T-4': ['1001'] });
      await scene.run();
      await scene.grant('1001');
      await scene.run(undefined, 1);
      await scene.reset();
      const before = scene.customer.pages.length;
      await scene.run();
      const again = scene.posted(before);
      expect(new Set(again)).toEqual(new Set(['T-1', 'T-2', 'T-3', 'T-4']));
      expect(again).toHaveLength(6); // T-3 and T-4 twice
    });

    it('sends what a catch-up has left although a reset died before it had moved the marker', async () => {
      await scene.pushTickets({ 'T-1': ['1001'], 'T-2': ['1001'], 'T-3': ['1001'] });
      await scene.run();
      await scene.grant('1001');
      await scene.run(undefined, 1);
      const dies = rewire(scene.store, (call) => {
        if (isReset(call)) throw new Error('the process died');
        return call.run();
      });
      const reset = resetChannelMarker(dies, await scene.channel(), 'tickets', new Date(0));
      await expect(reset).rejects.toThrow('died');
      await scene.run();
      expect(scene.posted()).toEqual(['T-1', 'T-2', 'T-3']);
    });

    it('counts what a crash of the plan left uncounted, and drops what holds nothing', async () => {
      await scene.pushTickets({ 'T-1': ['1001'] });
      await scene.run();
      await scene.grant('1001');
      const died = rewire(scene.store, ({ collection, method, run }) => {
        if (collection === 'tickets' && method === 'countDocuments') throw new Error('the process died');
        return run();
      });
      await expect(scene.run(died, Infinity)).rejects.toThrow('died');
      const markers = scene.store.db.collection('markers');
      expect(await markers.countDocuments({ account: { $exists: true }, total: null })).toBe(1);
      await scene.run();
      expect(scene.posted()).toEqual(['T-1']);
      expect(await markers.countDocuments({ account: { $exists: true } })).toBe(0);
    });

    it('counts what is pending: its own windows and the catch-ups that were begun', async () => {
      await scene.pushTickets({ 'T-1': ['1001'], 'T-2': ['1002'] });
      await scene.run();
      await scene.grant('1001');
      await scene.plan();
      await scene.pushTickets({ 'T-3': ['1001'], 'T-4': ['1002'] });
      const pending = async () =>
        (await listChannelMarkers(scene.store, await scene.channel())).map(
          (marker) => marker.pending_records,
        );
      expect(await pending()).toEqual([0, 2]);
      await scene.run();
      expect(await pending()).toEqual([0, 0]);
    });

    slowTest('serves more accounts than fit into a query', async () => {
      const accounts = Array.from({ length: 130 }, (_, index) => `${2000 + index}`);
      await scene.grantAll(accounts);
      await scene.pushTickets({ 'T-1': ['2000'], 'T-2': ['9999'], 'T-3': ['2129'], 'T-4': ['2001'] });
      await scene.run();
      expect(scene.posted()).toEqual(['T-1', 'T-3', 'T-4']);
      expect(scene.customer.pages.map(({ meta }) => meta.total_count)).toEqual([3, 3]);
    });
  });
});

describe('corrected', () => {
  // What a customer learns of a record that is corrected from one account to another, or that names several (docs/contract.md C18).

  const ticketsSince = (since: number) =>
    scene.customer.pages
      .slice(since)
      .filter(({ entityType }) => entityType === 'tickets')
      .flatMap((page) => page.records);

  const left = async (id: string) =>
    (await records(scene.store, 'tickets').findOne({ _id: accountId(id) }))?.left_account_ids;

  slowTest(
    'a ticket corrected to an account that is not shared goes out as deleted, at each of its changes until it comes back, and nothing else of it',
    async () => {
      await scene.grant('1001');
      await scene.pushTickets({ 'T-1': ['1001'] });
      await scene.run();
      await scene.pushTickets({ 'T-1': ['1002'] }, 'of somebody else');
      const since = scene.customer.pages.length;
      await scene.run();
      const [told, ...more] = ticketsSince(since);
      expect(more).toEqual([]);
      expect(Object.keys(told!)).toEqual(['id', 'remote_id', 'company', 'updated_at', 'deleted_at']);
      expect(told).toMatchObject({ id: '42-T-1', deleted_at: told!.updated_at });

      await scene.pushTickets({ 'T-1': ['1002'] }, 'changed there');
      await scene.run();
      const [, again] = ticketsSince(since);
      expect(again).toEqual({ ...told, updated_at: again!.updated_at, deleted_at: again!.updated_at });
      expect(String(again!.updated_at) > String(told!.updated_at)).toBe(true);

      await scene.pushTickets({ 'T-1': ['1001'] }, 'corrected back');
      await scene.run();
      expect(ticketsSince(since).at(-1)).toMatchObject({
        load_number: 'corrected back',
        account: { id: '42-1001' },
      });
    },
  );

  slowTest(
    'so it does where the account is granted anew: its customer may have the ticket from before',
    async () => {
      await scene.grant('1001');
      await scene.pushTickets({ 'T-1': ['1001'] });
      await scene.run();
      await scene.revoke('1001');
      await scene.pushTickets({ 'T-1': ['1002'] });
      await scene.run();
      await scene.grant('1001');
      const since = scene.customer.pages.length;
      await scene.run();
      expect(ticketsSince(since)).toMatchObject([{ id: '42-T-1', deleted_at: expect.any(String) }]);
      expect(scene.customer.pages.at(-1)!.meta).toMatchObject({ total_count: 1, page_count: 1 });
    },
  );

  test('a ticket remembers the accounts it has left until it comes back to them', async () => {
    await scene.pushTickets({ 'T-1': ['1001', '1002'] });
    expect(await left('T-1')).toBeUndefined();
    await scene.pushTickets({ 'T-1': ['1001'] });
    expect(await left('T-1')).toEqual(['42-1002']);
    await scene.pushTickets({ 'T-1': ['1001'] }, 'another load');
    expect(await left('T-1')).toEqual(['42-1002']);
    await scene.pushTickets({ 'T-1': ['1003'] });
    expect(await left('T-1')).toEqual(['42-1002', '42-1001']);
    await scene.pushTickets({ 'T-1': ['1001', '1002', '1003'] });
    expect(await left('T-1')).toBeUndefined();
  });

  slowTest('a split ticket names the shared account only, in windows and in catch-ups', async () => {
    await scene.pushTickets({ 'T-1': ['1001', '1002'] });
    await scene.run();
    await scene.grant('1001');
    await scene.run();
    await scene.pushTickets({ 'T-2': ['1002', '1001'] });
    await scene.run();
    const own = { account: { id: '42-1001', remote_id: '1001' }, split_percent: 50 };
    expect(ticketsSince(0).map(({ splits }) => splits)).toEqual([
      [own, null],
      [null, own],
    ]);
    await scene.grant('1002');
    const since = scene.customer.pages.length;
    await scene.run();
    expect(ticketsSince(since).map(({ splits }) => (splits as unknown[]).includes(null))).toEqual([
      false,
      false,
    ]);
  });
});

describe('types-added', () => {
  // A consent names the entity types (docs/contract.md S5): one is added beside the first grant.
  const SLUG = 'acme';
  const ALL = ['accounts', 'contracts', 'tickets', 'settlements'] as const;

  /** As `gdx channel set --entities` does where nobody has granted. */
  const addTypes = (store: Store) => setChannel(store, SLUG, { entity_types: [...ALL] });
  const granted = async (store: Store) => (await listGranted(store, SLUG)).map(({ account }) => account);

  const before = (store: Store, kind: (call: Call) => boolean, meddle: () => Promise<unknown>) =>
    once(store, kind, meddle, (call) => call.run());

  const after = (store: Store, kind: (call: Call) => boolean, meddle: () => Promise<unknown>) =>
    once(
      store,
      kind,
      () => Promise.resolve(),
      async (call) => {
        const answer = await call.run();
        await meddle();
        return answer;
      },
    );

  /** Does it at the first call of a kind only. */
  function once(
    store: Store,
    kind: (call: Call) => boolean,
    meddle: () => Promise<unknown>,
    first: (call: Call) => Promise<unknown>,
  ): Store {
    let done = false;
    return rewire(store, async (call) => {
      if (done || !kind(call)) return call.run();
      done = true;
      await meddle();
      return first(call);
    });
  }

  describe('between two hands', () => {
    const keys = [{ channel: SLUG, partner_id: 'policy-1', farmer: 'dale', account: accountId('1001') }];
    const shown = (through: Store) =>
      scene.channel().then((channel) => grantAccounts(through, channel, keys));

    it('adds no type after a grant that came when it had looked: it looks again', async () => {
      const seen: string[][] = [];
      const refuse = async () => {
        seen.push(await granted(scene.store));
        if (seen.length > 1) throw new Error('not agreed');
        await scene.grant('1001');
      };
      const setting = setChannel(scene.store, SLUG, { entity_types: [...ALL] }, refuse);
      await expect(setting).rejects.toThrow('not agreed');
      expect(seen).toEqual([[], [accountId('1001')]]);
      expect((await scene.channel()).entity_types).toEqual(['accounts', 'tickets']);
    });

    it('adds it when what came between was taken back', async () => {
      let looks = 0;
      const changed = await setChannel(scene.store, SLUG, { entity_types: [...ALL] }, async () => {
        if (++looks > 1) return;
        await scene.grant('1001');
        await scene.revoke('1001');
      });
      expect([looks, changed?.entity_types]).toEqual([2, ALL]);
    });

    it('does not look again for what no consent names', async () => {
      let looks = 0;
      await setChannel(scene.store, SLUG, { page_size: 7 }, async () => {
        looks += 1;
        await scene.grant('1001');
      });
      expect([looks, (await scene.channel()).page_size]).toEqual([1, 7]);
    });

    it('grants nothing, and writes nothing down, where a type was added since the farmer was shown the channel', async () => {
      await scene.pushTickets({ 'T-1': ['1001'] });
      const asShown = await scene.channel();
      await addTypes(scene.store);
      await expect(grantAccounts(scene.store, asShown, keys)).rejects.toThrow(TermsChanged);
      expect(await granted(scene.store)).toEqual([]);
      expect(await scene.store.db.collection('consents').countDocuments()).toBe(0);
      await scene.run();
      expect(scene.posted()).toEqual([]);
    });

    it('gets no grant of a page that said another purpose', async () => {
      const asShown = await scene.channel();
      await setChannel(scene.store, SLUG, { passes_on: ['Bison Re'] });
      await expect(grantAccounts(scene.store, asShown, keys)).rejects.toThrow(TermsChanged);
      expect(await granted(scene.store)).toEqual([]);
    });

    it('so it does with a second grant of what was revoked', async () => {
      await shown(scene.store);
      await revokeAccounts(scene.store, keys);
      const asShown = await scene.channel();
      await addTypes(scene.store);
      await expect(grantAccounts(scene.store, asShown, keys)).rejects.toThrow(TermsChanged);
      expect(await granted(scene.store)).toEqual([]);
    });

    it('a type added between the first write of a grant and its end waits for it, and is then refused', async () => {
      const looks: string[][] = [];
      const refuse = async () => {
        looks.push(await granted(scene.store));
        if (looks.at(-1)!.length > 0) throw new Error('not agreed');
      };
      let setting: Promise<unknown> = Promise.resolve();
      const writing = stopHere();
      const through = rewire(scene.store, ({ method, run }) => {
        if (method === 'findOneAndUpdate') void writing.here();
        return run();
      });
      const meddled = after(scene.store, isBump, async () => {
        const changing = setChannel(through, SLUG, { entity_types: [...ALL] }, refuse);
        setting = expect(changing).rejects.toThrow('not agreed');
        await writing.reached; // it has looked, and meets the lock of the grant
      });
      expect(await shown(meddled)).toBe(1);
      await setting;
      expect(looks.at(-1)).toEqual([accountId('1001')]);
      expect((await scene.channel()).entity_types).toEqual(['accounts', 'tickets']);
    });

    it('keeps a grant whose channel has lost a type, and begins no catch-up of that', async () => {
      const asShown = await scene.channel();
      await setChannel(scene.store, SLUG, { entity_types: ['tickets'] });
      expect(await grantAccounts(scene.store, asShown, keys)).toBe(1);
      const [subscription] = await listGranted(scene.store, SLUG);
      expect(subscription).toMatchObject({ account: accountId('1001'), to_begin: ['tickets'] });
    });
  });

  slowTest('the farmer reads the page again, and the ledger has only what he read', async () => {
    const store = await emptyStore();
    const farmers = await startFarmers({ store: before(store, isBump, () => addTypes(store)) });
    await pushAccounts(farmers, accountsOf(PHONE, 2));
    const visitor = await farmers.verified();
    await visitor.submit({ account: ['42-1', '42-2'] });
    await visitor.submit({ do: 'save' });
    expect([visitor.page.status, textOf(visitor.page.html)]).toEqual([
      403,
      expect.stringContaining('This page is out of date'),
    ]);
    const acts = async () => {
      const who = { channel: SLUG, partner_id: 'policy-1', farmer: await farmerIdOf(store, PHONE) };
      const written = await listConsents(store, who);
      return written.map(({ act, account, entity_types }) => `${act} ${account} ${entity_types.length}`);
    };
    expect([await granted(store), await acts()]).toEqual([[], []]);

    await visitor.get('/subscriptions/check');
    expect(visitor.page.path).toBe('/subscriptions/check');
    expect(textOf(visitor.page.html)).toMatch(/You will share 2 accounts .* settlements/);
    await visitor.submit({ do: 'save' });
    expect(visitor.page.path).toBe('/subscriptions/done');
    expect(await granted(store)).toEqual(['42-1', '42-2']);
    expect(await acts()).toEqual(['grant 42-1 4', 'grant 42-2 4']);
    expect(await verifyConsents(store, SLUG)).toMatchObject({ ok: true, links: 2 });
  });
});
