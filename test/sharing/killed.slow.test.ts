import { askDeletions } from '../../control/ask-deletions';
import { listWaiting, noteTold } from '../../store/alerts/customer-notices';
import { confirmDeletion } from '../../store/sharing/deletions';
import { rewire } from '../commit-order/rewire';
import { grantAccounts, revokeAccounts } from '../setup/share-accounts';
import { expectLedgerAgrees } from './ledger-says';
import { accountId, openSharedScene, type SharedScene } from './open-shared-scene';

// A process that ends between any two writes leaves all of an act, or nothing of it.
let scene: SharedScene;
beforeEach(async () => {
  scene = await openSharedScene(2);
});

const keys = ['1001', '1002'].map((account) => ({
  channel: 'acme',
  partner_id: 'policy-1',
  farmer: 'dale',
  account: accountId(account),
}));

class Died extends Error {}

/** The store of a process that ends before its call of this number. */
function dyingBefore(number: number) {
  let calls = 0;
  return rewire(scene.store, ({ run }) => {
    if (++calls >= number) throw new Died();
    return run();
  });
}

/** All that an act writes. */
async function written(): Promise<unknown> {
  const all = (name: string) => scene.store.db.collection(name).find().sort({ _id: 1 }).toArray();
  const { shares_version } = await scene.channel();
  const places = ['subscriptions', 'consents', 'markers', 'customer_notices', 'farmer_notices'];
  return [shares_version, ...(await Promise.all(places.map(all)))];
}

/** Ends the process before each of its calls, until one act comes to its end. @returns how many calls it took */
async function untilDone(act: (store: SharedScene['store']) => Promise<unknown>): Promise<number> {
  const before = await written();
  for (let number = 1; ; number++) {
    try {
      await act(dyingBefore(number));
      await expectLedgerAgrees(scene.store, 'acme');
      return number - 1;
    } catch (error) {
      if (!(error instanceof Died)) throw error;
      expect(await written()).toEqual(before);
    }
  }
}

const grantThrough = async (store: SharedScene['store']) => grantAccounts(store, await scene.channel(), keys);
const grantNewThrough = async (store: SharedScene['store']) =>
  grantAccounts(store, await scene.channel(), keys, '42', false);
const revokeThrough = (store: SharedScene['store']) => revokeAccounts(store, keys);
const acts = async (account: string) =>
  (await scene.store.db.collection('consents').find({ account }).sort({ number: 1 }).toArray()).map(
    ({ act }) => act as string,
  );

test('a grant, a second one, and a revoke', async () => {
  await scene.pushTickets({ 'T-1': ['1001'], 'T-2': ['1002'], 'T-3': ['1001'] });
  await scene.run();
  expect(await untilDone(grantThrough)).toBeGreaterThan(4);
  await scene.plan();
  expect(await untilDone(revokeThrough)).toBeGreaterThan(4);
  await scene.run();
  expect(scene.posted()).toEqual([]);
  expect(await untilDone(grantThrough)).toBeGreaterThan(4);
  await scene.run();
  expect(scene.posted().sort()).toEqual(['T-1', 'T-2', 'T-3']);
});

test('a plan that begins catch-ups: what it wrote, it wrote whole, and the next one goes on', async () => {
  await scene.pushTickets({ 'T-1': ['1001'], 'T-2': ['1002'], 'T-3': ['1001'] });
  await scene.run();
  await grantThrough(scene.store);
  const subscriptions = scene.store.db.collection('subscriptions');
  const catchUps = scene.store.db.collection('markers');
  for (let number = 1, done = false; !done; number++) {
    done = await scene.plan(dyingBefore(number)).then(
      () => true,
      () => false,
    );
    const left = await subscriptions.countDocuments({ to_begin: 'tickets' });
    const begun = await catchUps.countDocuments({ account: { $exists: true }, entity_type: 'tickets' });
    expect([left, begun]).toEqual(left === 0 ? [0, 2] : [2, 0]);
  }
  await scene.run();
  expect(scene.posted().sort()).toEqual(['T-1', 'T-2', 'T-3']);
});

test('a grant of only what is new, its change to the earlier records too, and one that begins again', async () => {
  await scene.pushTickets({ 'T-1': ['1001'], 'T-2': ['1002'] });
  await scene.run();
  expect(await untilDone(grantNewThrough)).toBeGreaterThan(5); // it reads the counters as well
  await scene.pushTickets({ 'T-3': ['1001'] });
  await scene.run();
  expect(scene.posted()).toEqual(['T-3']);
  expect(await untilDone(grantThrough)).toBeGreaterThan(4);
  await scene.run();
  expect(scene.posted(1).sort()).toEqual(['T-1', 'T-2', 'T-3']);
  await revokeThrough(scene.store);
  expect(await untilDone(grantNewThrough)).toBeGreaterThan(5);
  await scene.run();
  expect(scene.posted(1)).toHaveLength(3);
});

test('a deletion: wanted by the revoke, asked when the notice is taken, confirmed by the customer, and wanted no more', async () => {
  const url = { $set: { notify_url: 'https://acme.example/hook' } };
  await scene.store.db.collection<{ _id: string }>('channels').updateOne({ _id: 'acme' }, url);
  await grantThrough(scene.store);
  expect(await untilDone(revokeThrough)).toBeGreaterThan(5);
  for (const { _id } of await listWaiting(scene.store, 'acme')) await noteTold(scene.store, _id, new Date());
  expect(await untilDone(askDeletions)).toBeGreaterThan(5);
  const confirmed = async (store: SharedScene['store']) =>
    confirmDeletion(store, await scene.channel(), keys[0]!.account, 'request-1');
  expect(await untilDone(confirmed)).toBeGreaterThan(5);
  expect(await acts(keys[0]!.account)).toEqual(['grant', 'revoke', 'deletion_asked', 'deletion_confirmed']);
  expect(await acts(keys[1]!.account)).toEqual(['grant', 'revoke', 'deletion_asked']);
  expect(await untilDone(grantThrough)).toBeGreaterThan(5);
});

test('a deletion that the customer confirms before anybody knew that it was asked', async () => {
  await grantThrough(scene.store);
  await revokeThrough(scene.store);
  const confirmed = async (store: SharedScene['store']) =>
    confirmDeletion(store, await scene.channel(), keys[0]!.account, 'request-1');
  expect(await untilDone(confirmed)).toBeGreaterThan(5);
  expect(await acts(keys[0]!.account)).toEqual(['grant', 'revoke', 'deletion_asked', 'deletion_confirmed']);
});
