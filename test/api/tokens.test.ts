import { revokeKey, rotateKey } from '../../store/access/channel-keys';
import { revokeToken, rotateToken } from '../../store/access/integrations';
import { rewire } from '../commit-order/rewire';
import { eventually } from '../setup/eventually';
import type { Store } from '../../store/store';
import { accounts, channelKey, expectError, integrationToken, pushOf, startApi, type Api } from './start-api';
import { slowTest } from '../setup/cases';

const HOUR = 3_600_000;
let api: Api;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

/** One kind of token: how it is created, rotated and revoked, and whether it is accepted. */
const kinds = {
  integration: {
    make: () => integrationToken(api.store),
    id: async () => (await newest('integrations'))._id,
    rotate: async (id: string, keep: number, through: Store = api.store) =>
      (await rotateToken(through, id, keep))?.token,
    revoke: (id: string, which: 'old' | 'all', through: Store = api.store) => revokeToken(through, id, which),
    ask: (token: string) => api.ask('POST', '/api/v1/push', { token, body: pushOf(accounts(1)) }),
    collection: 'integrations',
    ends: 'old_token_ends_at',
  },
  channel: {
    make: async () =>
      channelKey(api.store, `acme-${await api.store.db.collection('channels').countDocuments()}`),
    id: async () => (await newest('channels'))._id,
    rotate: async (id: string, keep: number, through: Store = api.store) =>
      (await rotateKey(through, id, keep))?.apiKey,
    revoke: (id: string, which: 'old' | 'all', through: Store = api.store) => revokeKey(through, id, which),
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

  slowTest('two live at most, until the older is revoked, has had its time, or all are revoked', async () => {
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
  });

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
    expect(await revokeToken(api.store, (await newest('integrations'))._id, 'all')).toBe(true);
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
