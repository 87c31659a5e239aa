import { listCatchUps } from '../../store/catch-ups';
import { closeStore, type Store } from '../../store/connect';
import { listConsents, verifyConsents } from '../../store/consents';
import { EntityTypesAdded, finishGrants, grant, revoke } from '../../store/grant-and-revoke';
import { setChannel } from '../../store/set-channel';
import { farmerOf, listGranted } from '../../store/subscriptions';
import { type Call, rewire } from '../commit-order/rewire';
import { accountsOf, PHONE, pushAccounts, startFarmers } from '../farmer/start-farmers';
import { textOf } from '../farmer/visitor';
import { openStore } from '../setup/open-store';
import { accountId, openSharedScene, type SharedScene } from './open-shared-scene';
import { isFirstGrant, isNewGrant } from './share-calls';

// A consent names the entity types (contract 8): one is added beside the first grant.
const SLUG = 'acme';
const ALL = ['accounts', 'contracts', 'tickets', 'settlements'] as const;

/** As `gdx channel set --entities` does where nobody has granted. */
const addTypes = (store: Store) => setChannel(store, SLUG, { entity_types: [...ALL] });
const granted = async (store: Store) => (await listGranted(store, SLUG)).map(({ account }) => account);

/** Does it once, when the first call of a kind has been made. */
function after(store: Store, kind: (call: Call) => boolean, meddle: () => Promise<unknown>): Store {
  let done = false;
  return rewire(store, async (call) => {
    const answer = await call.run();
    if (done || !kind(call)) return answer;
    done = true;
    await meddle();
    return answer;
  });
}

describe('between two hands', () => {
  let scene: SharedScene;
  beforeEach(async () => {
    scene = await openSharedScene();
  });
  afterEach(() => scene.close());

  const keys = [{ channel: SLUG, partner_id: 'policy-1', farmer: 'dale', account: accountId('1001') }];
  const grantThrough = async (store: Store) => grant(store, await scene.channel(), keys, '42');

  async function expectTakenBack(granting: Promise<number>): Promise<void> {
    await expect(granting).rejects.toThrow(EntityTypesAdded);
    expect(await granted(scene.store)).toEqual([]);
    expect(await listCatchUps(scene.store, SLUG)).toEqual([]);
    await scene.run();
    expect(scene.posted()).toEqual([]);
  }

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

  it('takes back a grant whose channel got another type before the bump', async () => {
    await scene.pushTickets({ 'T-1': ['1001'] });
    await expectTakenBack(grantThrough(after(scene.store, isFirstGrant, () => addTypes(scene.store))));
  });

  it('so it does with a second grant of what was revoked', async () => {
    await scene.pushTickets({ 'T-1': ['1001'] });
    await grantThrough(scene.store);
    await revoke(scene.store, keys);
    await expectTakenBack(grantThrough(after(scene.store, isNewGrant, () => addTypes(scene.store))));
  });

  it('also where a run has meanwhile done all that was due', async () => {
    await scene.pushTickets({ 'T-1': ['1001'] });
    const meddled = after(scene.store, isFirstGrant, async () => {
      await addTypes(scene.store);
      await finishGrants(scene.store, await scene.channel());
    });
    await expectTakenBack(grantThrough(meddled));
  });

  it('leaves what is due to the next run where a run has read the channel before', async () => {
    await scene.pushTickets({ 'T-1': ['1001'] });
    await scene.grant('1001');
    const subscriptions = scene.store.db.collection('subscriptions');
    await subscriptions.updateMany({}, { $set: { catch_up: 'due' } });
    const before = await scene.channel();
    await addTypes(scene.store);
    await finishGrants(scene.store, before);
    expect(await subscriptions.countDocuments({ catch_up: 'due' })).toBe(1);
    await finishGrants(scene.store, await scene.channel());
    expect(await subscriptions.countDocuments({ catch_up: 'due' })).toBe(0);
  });

  it('keeps a grant whose channel has lost a type', async () => {
    const fewer = () => setChannel(scene.store, SLUG, { entity_types: ['tickets'] });
    expect(await grantThrough(after(scene.store, isFirstGrant, fewer))).toBe(1);
    expect(await granted(scene.store)).toEqual([accountId('1001')]);
  });
});

test('the farmer reads the page again, and the ledger has both', async () => {
  const store = await openStore();
  const farmers = await startFarmers({ store: after(store, isFirstGrant, () => addTypes(store)) });
  await pushAccounts(farmers, accountsOf(PHONE, 2));
  const visitor = await farmers.verified();
  await visitor.submit({ account: ['42-1', '42-2'] });
  await visitor.submit({ do: 'save' });
  expect([visitor.page.status, textOf(visitor.page.html)]).toEqual([
    403,
    expect.stringContaining('This page is out of date'),
  ]);
  const acts = async () => {
    const who = { channel: SLUG, partner_id: 'policy-1', farmer: farmerOf(store, PHONE) };
    const written = await listConsents(store, who);
    return written.map(({ act, account, entity_types }) => `${act} ${account} ${entity_types.length}`);
  };
  const takenBack = ['grant 42-1 3', 'grant 42-2 3', 'revoke 42-1 3', 'revoke 42-2 3'];
  expect([await granted(store), await acts()]).toEqual([[], takenBack]);

  await visitor.get('/subscriptions/check');
  expect(visitor.page.path).toBe('/subscriptions/check');
  expect(textOf(visitor.page.html)).toMatch(/You will share 2 accounts .* Your settlements/);
  await visitor.submit({ do: 'save' });
  expect(visitor.page.path).toBe('/subscriptions/done');
  expect(await granted(store)).toEqual(['42-1', '42-2']);
  expect(await acts()).toEqual([...takenBack, 'grant 42-1 4', 'grant 42-2 4']);
  expect(await verifyConsents(store, SLUG)).toMatchObject({ ok: true, links: 6 });
  await farmers.stop();
  await closeStore(store);
});
