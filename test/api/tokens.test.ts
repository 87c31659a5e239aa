import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { Collection } from 'mongodb';
import { ROUTES } from '../../api/routes';
import { hashToken } from '../../store/callers/tokens';
import {
  channelKey,
  expectError,
  integrationToken,
  pushOf,
  startApi,
  type ApiAnswer,
  type Api,
  accounts,
} from './start-api';
import { channelKeys, findChannel } from '../../store/channels/channels';
import { integrationTokens, addIntegration, listIntegrations } from '../../store/callers/integrations';
import { rewire } from '../commit-order/rewire';
import { eventually } from '../setup/eventually';
import type { Store } from '../../store/store';
import { slowTest, nightlyTest } from '../setup/cases';
import { createUseNotes } from '../../api/server/note-uses';
import { setAccess, setKeyAccess } from '../../store/channels/set-access';
import { lastUses } from '../../store/callers/token-use';

let api: Api;

describe('authentication', () => {
  // Every route that needs a token comes from the table itself: a new one is checked without being named here.
  const GUARDED = ROUTES.filter(({ caller }) => caller === 'integration' || caller === 'channel').map(
    ({ method, path, caller }) => ({ method, caller, path: path.replace(':entity_type', 'tickets') }),
  );

  let tokens: { integration: string; channel: string; revoked: string };

  beforeAll(async () => {
    api = await startApi();
    const revoked = await integrationToken(api.store, { id: '7', name: 'Valley Grain' });
    await api.store.db.collection('integrations').deleteOne({ token_hashes: hashToken(revoked) });
    tokens = {
      integration: await integrationToken(api.store),
      channel: await channelKey(api.store, 'acme'),
      revoked,
    };
    const headers = { 'x-request-id': 'first' };
    await api.ask('POST', '/api/v1/push', { token: tokens.integration, headers, body: pushOf([]) });
  });

  function askAs(
    authorization: string | undefined,
    route: (typeof GUARDED)[number],
    slug = 'acme',
  ): Promise<ApiAnswer> {
    const path = route.path.replace(':channel_slug', slug).replace(':request_id', 'first');
    return api.ask(route.method, path, {
      ...(authorization === undefined ? {} : { token: authorization }),
      ...(route.method === 'POST' ? { body: {} } : {}),
    });
  }

  test('the table has guarded routes of both kinds', () => {
    expect(new Set(GUARDED.map(({ caller }) => caller))).toEqual(new Set(['integration', 'channel']));
  });

  describe.each(GUARDED)('$method $path', (route) => {
    const right = () => tokens[route.caller as 'integration' | 'channel'];
    const wrongKind = () => tokens[route.caller === 'channel' ? 'integration' : 'channel'];

    test.each<[string, () => string | undefined]>([
      ['no token', () => undefined],
      ['an empty one', () => 'Bearer '],
      ['garbage', () => 'let me in'],
      ['Basic', () => `Basic ${Buffer.from(right()).toString('base64')}`],
      ['two tokens', () => `${right()} ${right()}`],
      ['one letter wrong', () => right().slice(0, -1) + (right().endsWith('0') ? '1' : '0')],
      ['well formed and unknown', () => tokens.revoked],
      ['the other kind', wrongKind],
      ['the stored hash', () => hashToken(right())],
      ['a blank that does not break behind it', () => `${right()}\u00a0`],
      ['the bytes of a mark around it', () => `\u00e2\u0080\u00ad${right()}\u00e2\u0080\u00ac`],
    ])('401 for %s', async (_, authorization) => {
      const answer = await askAs(authorization(), route);
      expectError(answer, 401, 'UNAUTHENTICATED');
      expect(answer.headers['www-authenticate']).toMatch(/^Bearer /);
      expect(answer.json.message).toBe(
        'A valid token is needed in the Authorization header, alone or after Bearer, and no other character.',
      );
    });

    test.each(['', 'Bearer ', 'bearer '])('the token itself works as "%s<TOKEN>"', async (scheme) => {
      expect([401, 404]).not.toContain((await askAs(scheme + right(), route)).status);
    });
  });

  const OF_CHANNELS = GUARDED.filter(({ caller }) => caller === 'channel');
  describe.each(OF_CHANNELS)('$method $path of another channel', (route) => {
    test('is answered like a channel that does not exist', async () => {
      const other = `other-${GUARDED.indexOf(route)}`;
      await channelKey(api.store, other);
      const foreign = await askAs(tokens.channel, route, other);
      for (const slug of [other, 'nobody', '%E0%A4%A', '%00', 'acme%2F', 'ACME', 'acme%20', '..%2facme']) {
        const answer = await askAs(tokens.channel, route, slug);
        expectError(answer, 404, 'NOT_FOUND');
        expect(answer.json.message).toBe(foreign.json.message);
      }
    });
  });

  test('the log says of a token with another character beside it that it is not one alone', async () => {
    const [route] = GUARDED;
    api.lines.length = 0;
    await askAs(`${tokens.integration}\u00a0`, route!);
    await askAs(undefined, route!);
    const refused = api.lines.flatMap((line) => line['refused'] ?? []);
    expect(refused).toEqual(['not a token alone', 'no token']);
  });

  test('records belong to the company of the token, whatever the body says', async () => {
    const body = pushOf([{ id: '1', name: 'Meyer Farms', company_id: '7' }]);
    expect((await api.ask('POST', '/api/v1/push', { token: tokens.integration, body })).status).toBe(204);
    const stored = await api.store.db.collection('accounts').find().toArray();
    expect(stored.map(({ _id, company_id }) => [_id, company_id])).toEqual([['42-1', '42']]);
  });
});

describe('tokens', () => {
  const HOUR = 3_600_000;

  beforeAll(async () => {
    api = await startApi();
  });

  /** One kind of token: how it is created, rotated and revoked, and whether it is accepted. */
  const kinds = {
    integration: {
      make: () => integrationToken(api.store),
      id: async () => (await newest('integrations'))._id,
      rotate: async (id: string, keep: number, through: Store = api.store) =>
        (await integrationTokens.rotate(through, id, keep))?.token,
      revoke: (id: string, which: 'old' | 'all', through: Store = api.store) =>
        integrationTokens.revoke(through, id, which),
      ask: (token: string) => api.ask('POST', '/api/v1/push', { token, body: pushOf(accounts(1)) }),
      collection: 'integrations',
      ends: 'old_token_ends_at',
    },
    channel: {
      make: async () =>
        channelKey(api.store, `acme-${await api.store.db.collection('channels').countDocuments()}`),
      id: async () => (await newest('channels'))._id,
      rotate: async (id: string, keep: number, through: Store = api.store) =>
        (await channelKeys.rotate(through, id, keep))?.token,
      revoke: (id: string, which: 'old' | 'all', through: Store = api.store) =>
        channelKeys.revoke(through, id, which),
      ask: async (token: string) =>
        api.ask('GET', `/api/v1/channels/${(await newest('channels'))._id}/markers`, { token }),
      collection: 'channels',
      ends: 'old_api_key_ends_at',
    },
  };

  async function newest(collection: string) {
    const [found] = await api.store.db
      .collection<{ _id: string }>(collection)
      .find()
      .sort({ created_at: -1 })
      .limit(1)
      .toArray();
    return found!;
  }

  describe.each(Object.entries(kinds))('the tokens of one %s', (_, kind) => {
    const opens = async (...tokens: string[]) =>
      Promise.all(tokens.map(async (token) => (await kind.ask(token)).status < 400));
    // A token's look-up is kept for three seconds.
    const expectOpening = (tokens: string[], expected: boolean[]) =>
      eventually(async () => expect(await opens(...tokens)).toEqual(expected));

    nightlyTest(
      'two live at most, until the older is revoked, has had its time, or all are revoked',
      async () => {
        const first = await kind.make();
        const id = await kind.id();
        const second = (await kind.rotate(id, HOUR))!;
        await expectOpening([first, second], [true, true]);
        await expect(kind.rotate(id, HOUR)).rejects.toThrow('two tokens live already');

        expect(await kind.revoke(id, 'old')).toBe(true);
        await expectOpening([first, second], [false, true]);

        const third = (await kind.rotate(id, HOUR))!;
        await api.store.db
          .collection<{ _id: string }>(kind.collection)
          .updateOne({ _id: id }, { $set: { [kind.ends]: new Date(Date.now() - 1) } });
        await expectOpening([first, second, third], [false, false, true]);

        const fourth = (await kind.rotate(id, 0))!; // at once, as after a theft
        await expectOpening([third, fourth], [false, true]);

        await kind.rotate(id, HOUR);
        expect(await kind.revoke(id, 'all')).toBe(true);
        await expectOpening([fourth], [false]);
        const answer = await kind.ask(fourth);
        expectError(answer, 401, 'UNAUTHENTICATED');
        const unknown = await kind.ask('never-issued');
        expect({ ...answer.json, request_id: '' }).toEqual({ ...unknown.json, request_id: '' });

        const last = (await kind.rotate(id, HOUR))!;
        await expectOpening([last], [true]);
      },
    );

    test('all revoked while a rotation is under way: the token before stays revoked, and the new one opens', async () => {
      const stolen = await kind.make();
      const id = await kind.id();
      let revoked: boolean | undefined;
      const slow = rewire(api.store, async ({ method, run }) => {
        const read = await run();
        if (method === 'findOne') revoked ??= await kind.revoke(id, 'all');
        return read;
      });
      const next = (await kind.rotate(id, HOUR, slow))!;
      expect(await opens(stolen, next)).toEqual([false, true]);
    });

    test('rotated while all are being revoked: neither the token before nor the new one opens', async () => {
      const first = await kind.make();
      const id = await kind.id();
      let next: string | undefined;
      const slow = rewire(api.store, async ({ method, run }) => {
        const read = await run();
        if (method === 'findOne') next ??= await kind.rotate(id, HOUR);
        return read;
      });
      expect(await kind.revoke(id, 'all', slow)).toBe(true);
      expect(await opens(first, next!)).toEqual([false, false]);
    });

    test('one revoked entirely does not get in the way of another', async () => {
      expect(await kind.revoke('nobody', 'old')).toBe(false);
      expect(await kind.rotate('nobody', HOUR)).toBeUndefined();
    });
  });

  test('several integrations may be revoked entirely', async () => {
    for (const _ of [1, 2]) {
      await integrationToken(api.store);
      expect(await integrationTokens.revoke(api.store, (await newest('integrations'))._id, 'all')).toBe(true);
    }
  });

  test('rotations at once: each one that succeeds has given a token, and only the last opens', async () => {
    await integrationToken(api.store);
    const id = (await newest('integrations'))._id;
    const tokens = await Promise.all([0, 0, 0].map((keep) => kinds.integration.rotate(id, keep)));
    const opening = await Promise.all(
      tokens.map(async (token) => (await kinds.integration.ask(token!)).status),
    );
    expect(opening.sort()).toEqual([204, 401, 401]);
  });
});

describe('token access', () => {
  const PUSH = '/api/v1/push';
  const COMPANY = { id: '42', name: 'Prairie Co-op' };

  beforeAll(async () => {
    api = await startApi({ farmer: { trustedProxies: 1 } });
  });

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

  nightlyTest('a time is when every token of the ERP ends, until it is moved', async () => {
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

  slowTest('many pushes of one token look it up once; revoked, it soon opens nothing', async () => {
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

    await integrationTokens.revoke(api.store, id, 'all');
    await expectRefused(token, 'unknown, replaced or revoked');
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

  /** Of a request whose body ends only once its token was revoked. */
  async function statusOfSlow(path: string, token: string, revoked: () => Promise<unknown>): Promise<number> {
    const headers = { authorization: token, 'content-type': 'application/json' };
    const sent = request({ port: api.port, host: '127.0.0.1', method: 'POST', path, headers });
    sent.write('{');
    await setTimeout(200);
    await revoked();
    sent.end(' }');
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    answer.resume();
    return answer.statusCode!;
  }

  test('a customer’s key that is revoked while its request arrives opens nothing', async () => {
    const key = await channelKey(api.store, 'slow');
    const path = '/api/v1/channels/slow/markers/tickets/reset';
    expect(await statusOfSlow(path, key, async () => {})).toBe(422);
    expect(await statusOfSlow(path, key, () => channelKeys.revoke(api.store, 'slow', 'all'))).toBe(401);
  });

  slowTest('so does an ERP’s token, within five seconds', async () => {
    const { id, token } = await newIntegration();
    const revoked = async () => {
      await integrationTokens.revoke(api.store, id, 'all');
      await setTimeout(5_000);
    };
    expect(await statusOfSlow(PUSH, token, revoked)).toBe(401);
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
    const { token: second } = (await channelKeys.rotate(api.store, 'used', 60_000))!;
    expect(await uses()).toEqual({ newest: null, old: at });
    await ask(second);
    await eventually(async () => expect(await uses()).toEqual({ newest: expect.any(Date), old: at }));
    await channelKeys.rotate(api.store, 'used', 0);
    expect(await uses()).toEqual({ newest: null, old: null });
  });

  test('a token in use for longer than five minutes is noted again', async () => {
    const token = await channelKey(api.store, 'busy');
    const noteUse = createUseNotes(api.store);
    const uses = api.store.db.collection<{ _id: string }>('token_uses');
    const began = performance.now();
    const noteAfter = (ms: number) => {
      const clock = jest.spyOn(performance, 'now').mockReturnValue(began + ms);
      const setBack = jest.spyOn(Date, 'now').mockReturnValue(Date.now() - ms); // so that this clock never gets there
      noteUse(hashToken(token));
      clock.mockRestore();
      setBack.mockRestore();
    };
    for (const ms of [0, 5 * 60_000]) {
      noteAfter(ms);
      const forget = () => uses.deleteOne({ _id: hashToken(token) });
      await eventually(async () => expect((await forget()).deletedCount).toBe(1), 20_000);
    }
  });

  test('a use that cannot be kept fails no request', async () => {
    const { id, token } = await newIntegration();
    const { updateOne } = Collection.prototype;
    const broken = jest.spyOn(Collection.prototype, 'updateOne').mockImplementation(function (
      this: Collection,
      ...args: Parameters<typeof updateOne>
    ) {
      const isUse = this.collectionName === 'token_uses';
      return isUse ? Promise.reject(new Error('away')) : updateOne.apply(this, args);
    });
    const answer = await push(token);
    broken.mockRestore();
    expect(answer.status).toBe(204);
    await push(token);
    const { token_hashes } = (await listIntegrations(api.store)).find(({ _id }) => _id === id)!;
    const used = async () => (await lastUses(api.store, token_hashes)).newest;
    await eventually(async () => expect(await used()).toEqual(expect.any(Date)));
  });
});
