import { setTimeout } from 'node:timers/promises';
import { closeStore } from '../../store/connect';
import type { Store } from '../../store/store';
import { listConsents } from '../../store/sharing/consents';
import { verifyConsents } from '../../store/sharing/verify-consents';
import { EntityTypesAdded } from '../../store/sharing/grant-and-revoke';
import { setChannel } from '../../store/feed/set-channel';
import { farmerIdOf } from '../../store/sharing/farmers';
import { listGranted } from '../../store/sharing/subscriptions';
import { type Call, rewire } from '../commit-order/rewire';
import { accountsOf, PHONE, pushAccounts, startFarmers } from '../farmer/start-farmers';
import { textOf } from '../farmer/visitor';
import { openStore } from '../setup/open-store';
import { grantAccounts, revokeAccounts } from '../setup/share-accounts';
import { accountId, openSharedScene, type SharedScene } from './open-shared-scene';
import { isBump } from './share-calls';

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
  let scene: SharedScene;
  beforeEach(async () => {
    scene = await openSharedScene();
  });
  afterEach(() => scene.close());

  const keys = [{ channel: SLUG, partner_id: 'policy-1', farmer: 'dale', account: accountId('1001') }];
  const shown = (through: Store) => scene.channel().then((channel) => grantAccounts(through, channel, keys));

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
    await expect(grantAccounts(scene.store, asShown, keys)).rejects.toThrow(EntityTypesAdded);
    expect(await granted(scene.store)).toEqual([]);
    expect(await scene.store.db.collection('consents').countDocuments()).toBe(0);
    await scene.run();
    expect(scene.posted()).toEqual([]);
  });

  it('so it does with a second grant of what was revoked', async () => {
    await shown(scene.store);
    await revokeAccounts(scene.store, keys);
    const asShown = await scene.channel();
    await addTypes(scene.store);
    await expect(grantAccounts(scene.store, asShown, keys)).rejects.toThrow(EntityTypesAdded);
    expect(await granted(scene.store)).toEqual([]);
  });

  it('a type added between the first write of a grant and its end waits for it, and is then refused', async () => {
    const looks: string[][] = [];
    const refuse = async () => {
      looks.push(await granted(scene.store));
      if (looks.at(-1)!.length > 0) throw new Error('not agreed');
    };
    let setting: Promise<unknown> = Promise.resolve();
    const meddled = after(scene.store, isBump, async () => {
      setting = expect(setChannel(scene.store, SLUG, { entity_types: [...ALL] }, refuse)).rejects.toThrow(
        'not agreed',
      );
      await setTimeout(300); // it has looked, and meets the lock of the grant
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

test('the farmer reads the page again, and the ledger has only what he read', async () => {
  const store = await openStore();
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
  expect(textOf(visitor.page.html)).toMatch(/You will share 2 accounts .* Your settlements/);
  await visitor.submit({ do: 'save' });
  expect(visitor.page.path).toBe('/subscriptions/done');
  expect(await granted(store)).toEqual(['42-1', '42-2']);
  expect(await acts()).toEqual(['grant 42-1 4', 'grant 42-2 4']);
  expect(await verifyConsents(store, SLUG)).toMatchObject({ ok: true, links: 2 });
  await farmers.stop();
  await closeStore(store);
});
