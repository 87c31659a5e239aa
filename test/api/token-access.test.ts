import { setTimeout } from 'node:timers/promises';
import { createUseNotes } from '../../api/note-uses';
import { rotateKey } from '../../store/access/channel-keys';
import { addIntegration, listIntegrations, revokeToken } from '../../store/access/integrations';
import { setAccess, setKeyAccess } from '../../store/access/set-access';
import { lastUses } from '../../store/access/token-use';
import { hashToken } from '../../store/access/tokens';
import { findChannel } from '../../store/feed/channels';
import type { Store } from '../../store/store';
import { eventually } from '../setup/eventually';
import { accounts, channelKey, expectError, pushOf, startApi, type Api } from './start-api';
import { slowTest } from '../setup/cases';

const PUSH = '/api/v1/push';
const COMPANY = { id: '42', name: 'Prairie Co-op' };

let api: Api;
beforeAll(async () => {
  api = await startApi({ farmer: { trustedProxies: 1 } });
});
afterAll(() => api.stop());

const push = (token: string, from = '203.0.113.7', at = api) =>
  at.ask('POST', PUSH, { token, body: pushOf(accounts(1)), headers: { 'x-forwarded-for': from } });

// What was set holds within seconds: a token's look-up is kept for three.
const expectTaken = (token: string, from?: string) =>
  eventually(async () => expect((await push(token, from)).status).toBe(204));

const expectRefused = (token: string, why: string, from?: string) =>
  eventually(() => expectRefusedNow(token, why, from));

async function expectRefusedNow(token: string, why: string, from?: string): Promise<void> {
  const [answer, unknown] = [await push(token, from), await push('never-issued')];
  expectError(answer, 401, 'UNAUTHENTICATED');
  expect({ ...answer.json, request_id: '' }).toEqual({ ...unknown.json, request_id: '' });
  const lines = api.lines.filter(({ request_id }) => request_id === answer.json.request_id);
  expect(lines).toEqual([expect.objectContaining({ refused: why })]);
}

async function newIntegration(store: Store = api.store) {
  const { integration, token } = await addIntegration(store, { name: 'agris', company: COMPANY });
  return { id: integration._id, token };
}

test('a token of production opens nothing elsewhere, one from elsewhere nothing in production', async () => {
  const production = { ...api.store, production: true };
  const [live, test] = [await newIntegration(production), await newIntegration()];
  expect([live.token.slice(0, 13), test.token.slice(0, 13)]).toEqual(['gdx_erp_live_', 'gdx_erp_test_']);
  await expectRefused(live.token, 'a live token');
  expect((await push(test.token)).status).toBe(204);

  const there = await startApi({ store: production });
  const statuses = [await push(live.token, '::1', there), await push(test.token, '::1', there)];
  await there.stop();
  expect(statuses.map(({ status }) => status)).toEqual([204, 401]);
});

slowTest('a time is when every token of the ERP ends, until it is moved', async () => {
  const { id, token } = await newIntegration();
  const at = (ms: number) => setAccess(api.store, id, { expires_at: new Date(Date.now() + ms) });
  await at(60_000);
  await expectTaken(token);
  await at(-1);
  await expectRefused(token, 'expired');
  await setAccess(api.store, id, { expires_at: null });
  await expectTaken(token);
});

slowTest('addresses are where a token opens something, behind the proxy; none means anywhere', async () => {
  const { id, token } = await newIntegration();
  await setAccess(api.store, id, { addresses: ['203.0.113.0/24', '2001:db8::/32'] });
  const from = ['203.0.113.7', '::ffff:203.0.113.9', '2001:db8:1::1'];
  for (const address of from) expect((await push(token, address)).status).toBe(204);
  for (const address of ['203.0.114.7', '2001:db9::1', 'unknown', '203.0.113.7, 198.51.100.1'])
    await expectRefused(token, 'not from this address', address);
  await setAccess(api.store, id, { addresses: [] });
  await expectTaken(token, '198.51.100.1');
});

slowTest('many pushes of one token look it up once; revoked, it opens nothing 5 s later', async () => {
  const { id, token } = await newIntegration();
  const lookUps = jest.spyOn(Object.getPrototypeOf(api.store.db.collection('integrations')), 'findOne');
  const began = Date.now();
  const answers = await Promise.all(Array.from({ length: 30 }, () => push(token)));
  const KEPT_MS = 3_000; // a loaded machine may take longer than that for thirty
  const most = 1 + Math.floor((Date.now() - began) / KEPT_MS);
  const ofTokens = lookUps.mock.calls.filter(([filter]) => 'token_hashes' in (filter as object));
  lookUps.mockRestore();
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]));
  expect(ofTokens.length).toBeLessThanOrEqual(most);

  await revokeToken(api.store, id, 'all');
  await setTimeout(5_000);
  await expectRefusedNow(token, 'unknown, replaced or revoked');
});

test('a token that was not found, or not looked up, is not kept as such', async () => {
  const collection = Object.getPrototypeOf(api.store.db.collection('integrations'));
  const { id, token } = await newIntegration();
  const { token_hashes } = (await listIntegrations(api.store)).find(({ _id }) => _id === id)!;
  const hashes = (to: string[]) =>
    api.store.db
      .collection<{ _id: string }>('integrations')
      .updateOne({ _id: id }, { $set: { token_hashes: to } });
  await hashes(['']);
  expect((await push(token)).status).toBe(401);
  await hashes(token_hashes);
  const broken = jest.spyOn(collection, 'findOne').mockRejectedValueOnce(new Error('away'));
  expect((await push(token)).status).toBe(500);
  broken.mockRestore();
  expect((await push(token)).status).toBe(204);
});

test('a customer’s key is bound in the same way', async () => {
  const key = await channelKey(api.store, 'bound');
  const ask = async (headers = {}) =>
    (await api.ask('GET', '/api/v1/channels/bound/markers', { token: key, headers })).status;
  await setKeyAccess(api.store, 'bound', { addresses: ['203.0.113.0/24'] });
  expect(await ask()).toBe(401);
  // What the caller itself has sent counts for nothing, only what the proxy has added to it.
  expect(await ask({ 'x-forwarded-for': '203.0.113.7, 198.51.100.1' })).toBe(401);
  expect(await lastUses(api.store, [hashToken(key)])).toMatchObject({ newest: null }); // it has opened nothing
  expect(await ask({ 'x-forwarded-for': '198.51.100.1, 203.0.113.7' })).toBe(200);
  await setKeyAccess(api.store, 'bound', { addresses: ['127.0.0.0/8'] });
  expect(await ask()).toBe(200);
  await setKeyAccess(api.store, 'bound', { expires_at: new Date(Date.now() - 1) });
  expect(await ask()).toBe(401);
});

test('addresses that are set leave the end as it is, and an end the addresses; those of others stay too', async () => {
  const [{ id }, other] = [await newIntegration(), await newIntegration()];
  for (const slug of ['one', 'next']) await channelKey(api.store, slug);
  const expires_at = new Date(Date.now() + 60_000);
  const [addresses, both] = [['203.0.113.0/24'], { expires_at, addresses: ['203.0.113.0/24'] }];
  await setAccess(api.store, id, { expires_at });
  expect((await setAccess(api.store, id, { addresses }))!.access).toEqual(both);
  await setKeyAccess(api.store, 'one', { addresses });
  expect((await setKeyAccess(api.store, 'one', { expires_at }))!.key_access).toEqual(both);
  const integrations = await listIntegrations(api.store);
  expect(integrations.find(({ _id }) => _id === other.id)!.access).toBeUndefined();
  expect((await findChannel(api.store, 'next'))!.key_access).toBeUndefined();
});

test('the last use of each of two tokens is kept, about once in five minutes, and goes with the token', async () => {
  const first = await channelKey(api.store, 'used');
  const uses = async () => {
    const { api_key_hashes } = (await findChannel(api.store, 'used'))!;
    return lastUses(api.store, api_key_hashes);
  };
  const ask = (token: string) => api.ask('GET', '/api/v1/channels/used/markers', { token });
  await ask(first);
  const at = await eventually(async () => {
    const { newest } = await uses();
    expect(Date.now() - newest!.getTime()).toBeLessThan(60_000);
    return newest;
  });
  await ask(first);
  const { apiKey: second } = (await rotateKey(api.store, 'used', 60_000))!;
  expect(await uses()).toEqual({ newest: null, old: at });
  await ask(second);
  await eventually(async () => expect(await uses()).toEqual({ newest: expect.any(Date), old: at }));
  await rotateKey(api.store, 'used', 0);
  expect(await uses()).toEqual({ newest: null, old: null });
});

test('a token in use for longer than five minutes is noted again', async () => {
  const token = await channelKey(api.store, 'busy');
  const noteUse = createUseNotes(api.store);
  const uses = api.store.db.collection<{ _id: string }>('token_uses');
  const began = Date.now();
  const noteAfter = (ms: number) => {
    const clock = jest.spyOn(Date, 'now').mockReturnValue(began + ms);
    noteUse(token);
    clock.mockRestore();
  };
  for (const ms of [0, 5 * 60_000]) {
    noteAfter(ms);
    const forget = () => uses.deleteOne({ _id: hashToken(token) });
    await eventually(async () => expect((await forget()).deletedCount).toBe(1), 20_000);
  }
});

test('a use that cannot be kept fails no request', async () => {
  const { id, token } = await newIntegration();
  const collection = api.store.db.collection('integrations');
  const broken = jest
    .spyOn(Object.getPrototypeOf(collection), 'updateOne')
    .mockRejectedValue(new Error('away'));
  const answer = await push(token);
  broken.mockRestore();
  expect(answer.status).toBe(204);
  await push(token);
  const { token_hashes } = (await listIntegrations(api.store)).find(({ _id }) => _id === id)!;
  const used = async () => (await lastUses(api.store, token_hashes)).newest;
  await eventually(async () => expect(await used()).toEqual(expect.any(Date)));
});
