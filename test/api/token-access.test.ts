import { rotateKey } from '../../store/access/channel-keys';
import { addIntegration, listIntegrations } from '../../store/access/integrations';
import { setAccess, setKeyAccess } from '../../store/access/set-access';
import { lastUses } from '../../store/access/token-use';
import { findChannel } from '../../store/feed/channels';
import type { Store } from '../../store/store';
import { eventually } from '../setup/eventually';
import { accounts, channelKey, expectError, pushOf, startApi, type Api } from './start-api';

const PUSH = '/api/v1/push';
const COMPANY = { id: '42', name: 'Prairie Co-op' };

let api: Api;
beforeAll(async () => {
  api = await startApi({ farmer: { trustedProxies: 1 } });
});
afterAll(() => api.stop());

const push = (token: string, from = '203.0.113.7', at = api) =>
  at.ask('POST', PUSH, { token, body: pushOf(accounts(1)), headers: { 'x-forwarded-for': from } });

async function expectRefused(token: string, why: string, from?: string): Promise<void> {
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

test('a time is when every token of the ERP ends, until it is moved', async () => {
  const { id, token } = await newIntegration();
  const at = (ms: number) => setAccess(api.store, id, { expires_at: new Date(Date.now() + ms) });
  await at(60_000);
  expect((await push(token)).status).toBe(204);
  await at(-1);
  await expectRefused(token, 'expired');
  await setAccess(api.store, id, { expires_at: null });
  expect((await push(token)).status).toBe(204);
});

test('addresses are where a token opens something, behind the proxy; none means anywhere', async () => {
  const { id, token } = await newIntegration();
  await setAccess(api.store, id, { addresses: ['203.0.113.0/24', '2001:db8::/32'] });
  const from = ['203.0.113.7', '::ffff:203.0.113.9', '2001:db8:1::1'];
  for (const address of from) expect((await push(token, address)).status).toBe(204);
  for (const address of ['203.0.114.7', '2001:db9::1', 'unknown', '203.0.113.7, 198.51.100.1'])
    await expectRefused(token, 'not from this address', address);
  await setAccess(api.store, id, { addresses: [] });
  expect((await push(token, '198.51.100.1')).status).toBe(204);
});

test('a customer’s key is bound in the same way', async () => {
  const key = await channelKey(api.store, 'bound');
  const ask = async () => (await api.ask('GET', '/api/v1/channels/bound/markers', { token: key })).status;
  await setKeyAccess(api.store, 'bound', { addresses: ['203.0.113.0/24'] });
  expect(await ask()).toBe(401);
  await setKeyAccess(api.store, 'bound', { addresses: ['127.0.0.0/8'] });
  expect(await ask()).toBe(200);
  await setKeyAccess(api.store, 'bound', { expires_at: new Date(Date.now() - 1) });
  expect(await ask()).toBe(401);
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
