import { listCatchUps } from '../../store/markers/catch-ups';
import { type ConsentAct, listConsents } from '../../store/consent/consents';
import { verifyConsents } from '../../store/consent/verify-consents';
import { refuse } from '../../store/sharing/grant-and-revoke';
import { listGranted } from '../../store/consent/subscriptions';
import { actsOf, grantAccounts, revokeAccounts } from '../setup/share-accounts';
import { accountId, openSharedScene, type SharedScene } from './open-shared-scene';

let scene: SharedScene;
beforeEach(async () => {
  scene = await openSharedScene();
});

const SLUG = 'acme';

const who = { channel: SLUG, partner_id: 'policy-1', farmer: 'dale' };
const keysOf = (...accounts: string[]) =>
  accounts.map((account) => ({ ...who, account: accountId(account) }));
const give = async (...accounts: string[]) =>
  grantAccounts(scene.store, await scene.channel(), keysOf(...accounts));
const catchUps = async () =>
  (await listCatchUps(scene.store, SLUG, 'tickets')).map(({ account }) => account).sort();

it('grants what is new and what was revoked, and counts neither what is granted nor what another hand grants', async () => {
  await scene.pushTickets({ 'T-1': ['1001', '1002'], 'T-2': ['1003'] });
  await scene.run();
  expect(await give('1001', '1002')).toBe(2);
  expect(await revokeAccounts(scene.store, keysOf('1002', '1009'))).toBe(1);
  expect(await give('1001', '1002', '1003', '1004')).toBe(3);
  expect(await give('1001', '1002', '1003', '1004')).toBe(0);
  const twice = await Promise.all([give('1005', '1006', '1007'), give('1006', '1005', '1007')]);
  expect(twice[0]! + twice[1]!).toBe(3);
  expect(await listGranted(scene.store, SLUG)).toHaveLength(7);
  await scene.plan();
  expect(await catchUps()).toEqual(['1001', '1002', '1003'].map(accountId)); // of those that had something before
  expect(await revokeAccounts(scene.store, keysOf('1001', '1002', '1003', '1004'))).toBe(4);
  expect(await catchUps()).toEqual([]);
});

it('begins the catch-ups of thousands, a batch at a time, none of what was revoked before', async () => {
  const accounts = Array.from({ length: 1_200 }, (_, index) => `${2_000 + index}`);
  await scene.pushTickets({ 'T-1': ['2000'], 'T-2': ['3199'] });
  await scene.run();
  for (const part of [accounts.slice(0, 500), accounts.slice(500, 1_000), accounts.slice(1_000)]) {
    await give(...part);
  }
  await revokeAccounts(scene.store, keysOf('2000'));
  const { shares_version: before } = await scene.channel();
  const [planned] = await scene.plan();
  expect((await scene.channel()).shares_version).toBe(before + 13); // twelve batches of accounts, one of tickets
  expect(await catchUps()).toEqual([accountId('3199')]);
  expect(planned).toMatchObject({ catch_up: true, records: 1, more: true });
  await scene.run();
  await scene.plan();
  expect((await scene.channel()).shares_version).toBe(before + 24);
  const subscriptions = scene.store.db.collection('subscriptions');
  expect(await subscriptions.countDocuments({ to_begin: { $ne: [] } })).toBe(0);
});

it('links every act of two hands into one chain, each hand’s in its order', async () => {
  const namesOf = (hand: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${hand}-${index}`);
  const acting: [string[], (acts: string[]) => Promise<unknown>][] = [
    [namesOf('a', 300), (accounts) => give(...accounts)],
    [namesOf('b', 300), (accounts) => refuse(scene.store, actsOf('refusal', keysOf(...accounts)))],
    [namesOf('c', 1), (accounts) => revokeAccounts(scene.store, keysOf(...accounts))],
  ];
  await give('c-0');
  await Promise.all(acting.map(([accounts, act]) => act(accounts)));
  const [, ...written] = await listConsents(scene.store, who);
  for (const [accounts] of acting) {
    const hand = accounts[0]!.slice(0, 1);
    const own = written.filter(({ account }) => account.startsWith(accountId(hand)));
    expect(own.map(({ account }) => account)).toEqual(accounts.map(accountId));
    expect(own.at(-1)!.number - own[0]!.number).toBe(own.length - 1);
  }
  expect(await verifyConsents(scene.store, SLUG)).toMatchObject({ ok: true, links: 602 });
});

it('neither grants nor writes anything down where the ledger cannot be written', async () => {
  const acts: ConsentAct[] = actsOf('refusal', keysOf('1001'));
  await refuse(scene.store, acts);
  const consents = scene.store.db.collection<{ _id: string }>('consents');
  await consents.insertOne({ _id: `${SLUG}/2` });
  const { shares_version } = await scene.channel();
  await expect(give('1001')).rejects.toThrow(/duplicate key/i);
  expect(await listGranted(scene.store, SLUG)).toEqual([]);
  expect((await scene.channel()).shares_version).toBe(shares_version);
});
