import { listCatchUps } from '../../store/catch-ups';
import { appendConsents, type ConsentAct, verifyConsents } from '../../store/consents';
import { finishGrants, grant, revoke } from '../../store/grant-and-revoke';
import { readSharedAccounts } from '../../store/subscriptions';
import { rewire } from '../commit-order/rewire';
import { accountId, openSharedScene, type SharedScene } from './open-shared-scene';
import { isFirstGrant } from './share-calls';

let scene: SharedScene;
beforeEach(async () => {
  scene = await openSharedScene();
});
afterEach(() => scene.close());

const SLUG = 'acme';

const who = { channel: SLUG, partner_id: 'policy-1', farmer: 'dale' };
const keysOf = (...accounts: string[]) =>
  accounts.map((account) => ({ ...who, account: accountId(account) }));
const catchUps = async () => (await listCatchUps(scene.store, SLUG)).map(({ account }) => account);

const actsOf = (account: string, count: number): ConsentAct[] =>
  Array.from({ length: count }, (_, index) => ({
    ...{ act: 'grant', ...who, channel_name: 'Acme', account: `${account}-${index}`, entity_types: [] },
    ...{ text_version: '1', language: 'en', request_id: 'r' },
  }));

it('grants what is new and what was revoked, and counts neither what is granted nor what another hand grants', async () => {
  await scene.pushTickets({ 'T-1': ['1001', '1002'], 'T-2': ['1003'] });
  const give = async (...accounts: string[]) =>
    grant(scene.store, await scene.channel(), keysOf(...accounts), '42');
  expect(await give('1001', '1002')).toBe(2);
  expect(await revoke(scene.store, keysOf('1002', '1009'))).toBe(1);
  expect(await give('1001', '1002', '1003', '1004')).toBe(3);
  expect(await give('1001', '1002', '1003', '1004')).toBe(0);
  const twice = await Promise.all([give('1005', '1006', '1007'), give('1006', '1005', '1007')]);
  expect(twice[0]! + twice[1]!).toBe(3);
  expect((await readSharedAccounts(scene.store, SLUG)).size).toBe(7);
  expect(await catchUps()).toEqual(['1001', '1002', '1003'].map(accountId)); // of those that had something before
  expect(await revoke(scene.store, keysOf('1001', '1002', '1003', '1004'))).toBe(4);
  expect(await catchUps()).toEqual([]);
});

it('does not count what another hand grants in the same moment', async () => {
  const overtaken = rewire(scene.store, async (call) => {
    if (isFirstGrant(call)) await grant(scene.store, await scene.channel(), keysOf('1001'), '42');
    return call.run();
  });
  const granted = await grant(overtaken, await scene.channel(), keysOf('1001', '1002'), '42');
  expect(granted).toBe(1);
  expect((await readSharedAccounts(scene.store, SLUG)).size).toBe(2);
});

it('gives each catch-up of a batch epochs of its own (decision 9)', async () => {
  await scene.pushTickets({ 'T-1': ['1001', '1002', '1003'] });
  await grant(scene.store, await scene.channel(), keysOf('1001', '1002', '1003'), '42');
  const generations = (await listCatchUps(scene.store, SLUG)).map(({ generation }) => generation);
  expect(new Set(generations).size).toBe(3);
  expect(Math.max(...generations)).toBe((await scene.channel()).shares_version * 2 ** 20);
});

it('finishes what a crash left of thousands, granted and revoked', async () => {
  const accounts = Array.from({ length: 1_200 }, (_, index) => `${2_000 + index}`);
  await scene.pushTickets({ 'T-1': ['2000'], 'T-2': ['3199'] });
  for (const part of [accounts.slice(0, 600), accounts.slice(600)]) {
    await grant(scene.store, await scene.channel(), keysOf(...part), '42');
  }
  const subscriptions = scene.store.db.collection('subscriptions');
  await scene.store.db.collection('markers').deleteMany({ account: { $exists: true } });
  await subscriptions.updateMany({ account: accountId('2000') }, { $set: { state: 'revoked' } });
  await subscriptions.updateMany({}, { $set: { catch_up: 'due' } });
  await finishGrants(scene.store, await scene.channel());
  expect(await catchUps()).toEqual([accountId('3199')]);
  expect(await subscriptions.countDocuments({ catch_up: 'due' })).toBe(0);
});

it('links every act of two hands into one chain, each hand’s in its order', async () => {
  const hands = [actsOf('a', 300), actsOf('b', 300), actsOf('c', 1)];
  const written = await Promise.all(hands.map((acts) => appendConsents(scene.store, acts)));
  written.forEach((consents, hand) => {
    expect(consents.map(({ account }) => account)).toEqual(hands[hand]!.map(({ account }) => account));
    const numbers = consents.map(({ number }) => number);
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  });
  expect(await verifyConsents(scene.store, SLUG)).toMatchObject({ ok: true, links: 601 });
});
