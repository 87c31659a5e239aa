import { rewire } from '../commit-order/rewire';
import { grantAccounts, revokeAccounts } from '../setup/share-accounts';
import { accountId, openSharedScene, type SharedScene } from './open-shared-scene';

// A process that ends between any two writes leaves all of an act, or nothing of it.
let scene: SharedScene;
beforeEach(async () => {
  scene = await openSharedScene(2);
});
afterEach(() => scene.close());

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
  return [shares_version, await all('subscriptions'), await all('consents'), await all('markers')];
}

/** Ends the process before each of its calls, until one act comes to its end. @returns how many calls it took */
async function untilDone(act: (store: SharedScene['store']) => Promise<unknown>): Promise<number> {
  const before = await written();
  for (let number = 1; ; number++) {
    try {
      await act(dyingBefore(number));
      return number - 1;
    } catch (error) {
      if (!(error instanceof Died)) throw error;
      expect(await written()).toEqual(before);
    }
  }
}

const grantThrough = async (store: SharedScene['store']) => grantAccounts(store, await scene.channel(), keys);

test('a grant, a second one, and a revoke', async () => {
  await scene.pushTickets({ 'T-1': ['1001'], 'T-2': ['1002'], 'T-3': ['1001'] });
  await scene.run();
  expect(await untilDone(grantThrough)).toBeGreaterThan(4);
  await scene.plan();
  expect(await untilDone((store) => revokeAccounts(store, keys))).toBeGreaterThan(4);
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
