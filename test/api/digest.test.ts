import { createHash } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { get, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { DigestBuckets, bucketOf } from '../../domain/digest';
import { findChannel } from '../../store/feed/channels';
import { beginMarkers } from '../../store/feed/begin-markers';
import { isPending, readDigestBase } from '../../store/feed/digest-base';
import { digestRecords } from '../../store/feed/digest-records';
import { markerId, startMarker } from '../../store/feed/markers';
import { resetChannelMarker } from '../../store/feed/reset-channel-marker';
import { records } from '../../store/push/records';
import { pushRecords } from '../setup/push-records';
import { grantAccounts, revokeAccounts } from '../setup/share-accounts';
import { rewire } from '../commit-order/rewire';
import { stopHere } from '../commit-order/stop-here';
import { eventually } from '../setup/eventually';
import { type Api, channelKey, expectError, startApi } from './start-api';
import { slowTest } from '../setup/cases';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

// Ids whose order differs in UTF-16 and UTF-8, beside plain ones.
const IDS = ['1', '10', '2', 'é', '\uff5e', '\u{1f33d}', 'a b', 'T"1"', '🌾9'];
let used = 0;

/** A company with tickets of two accounts, and a channel of its own. */
async function scene({ scope = 'all' as const, ...settings } = {} as { scope?: 'all' | 'subscribed' }) {
  used += 1;
  const company = { id: `c${used}`, name: 'Co-op' };
  const slug = `digest${used}`;
  const token = await channelKey(api.store, slug, { companies: [company.id], scope, ...settings });
  const push = (ids: string[], account = 'A', more = {}) =>
    pushRecords(api.store, { tickets: ids.map((id) => ({ id, account_id: account, ...more })) }, company);
  await push(IDS);
  await push(['other'], 'B');
  const path = `/api/v1/channels/${slug}/digest?entity_type=tickets`;
  const stored = () =>
    records(api.store, 'tickets').find({ company_id: company.id }).sort({ position: 1 }).toArray();
  return {
    slug,
    token,
    push,
    path,
    stored,
    channel: async () => (await findChannel(api.store, slug))!,
    digest: async () => (await api.ask('GET', path, { token })).json,
    list: async (ids: string[]) => {
      const buckets = [...new Set(ids.map(bucketOf))].join(',');
      const { json } = await api.ask('GET', `${path}&bucket=${buckets}`, { token });
      return new Map<string, { updated_at: string; pending: boolean }>(
        json.data.map((one: { id: string }) => [one.id, one]),
      );
    },
    markTo: async (position: number) => {
      await startMarker(api.store, slug, 'tickets', 0);
      await api.store.db
        .collection<{ _id: string }>('markers')
        .updateOne({ _id: markerId(slug, 'tickets') }, { $set: { position } });
    },
    account: (name: string) => `${company.id}-${name}`,
  };
}

type Scene = Awaited<ReturnType<typeof scene>>;
const passAll = async (one: Scene) => one.markTo((await one.stored()).at(-1)!.position);

const baseOf = (one: Scene, store = api.store) =>
  store.client.withSession({ causalConsistency: true }, async (session) => {
    const base = await readDigestBase(store, one.slug, 'tickets', session);
    return base ?? Promise.reject(new Error('no base'));
  });

const bytes = (id: string) => Buffer.from(id);

test('hashes what the marker has passed, in the order of the bytes of the ids', async () => {
  const one = await scene();
  await passAll(one);
  const digest = new DigestBuckets();
  const stored = await one.stored();
  for (const { _id: id, updated_at } of stored.sort((a, b) => bytes(a._id).compare(bytes(b._id))))
    digest.add({ id, updated_at, pending: false });
  const answer = await one.digest();
  expect(answer).toMatchObject({ entity_type: 'tickets', records: IDS.length + 1, pending: 0 });
  expect(answer.buckets).toEqual(digest.finish());
});

test('what changes above the marker is pending, and what is later than as_of is not known', async () => {
  const one = await scene();
  await passAll(one);
  const before = await one.digest();
  await one.push(['1'], 'A', { net_weight: 5, weight_uom: 'lb' });
  await one.push(['new']);
  const after = await one.digest();
  expect(after).toMatchObject({ records: before.records - 1, pending: 2 });
  expect(after.as_of > before.as_of).toBe(true);
  const listed = await one.list((await one.stored()).map(({ _id }) => _id));
  const stored = await one.stored();
  expect(listed.size).toBe(stored.length);
  for (const { _id, updated_at } of stored) {
    const pending = [one.account('1'), one.account('new')].includes(_id);
    expect(listed.get(_id)).toMatchObject({ updated_at: updated_at.toISOString(), pending });
    if (pending) expect(updated_at.toISOString() > before.as_of).toBe(true);
  }
});

test('an answer has no more listeners than Node takes for a leak, and warns of', async () => {
  const { digest } = await scene();
  let most = 0;
  let allowed = 0;
  const watch = (_: IncomingMessage, response: ServerResponse) =>
    response.on('newListener', () => {
      most = Math.max(most, response.listenerCount('close'));
      allowed = response.getMaxListeners();
    });
  api.server.on('request', watch);
  await digest();
  api.server.off('request', watch);
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(allowed);
});

test('lists the buckets asked for and no others; deleted records are in them', async () => {
  const one = await scene();
  await one.push(['2'], 'A', { deleted_at: '2026-10-01T00:00:00Z' });
  await passAll(one);
  const id = one.account('2');
  const listed = await one.list([id]);
  expect(listed.get(id)).toMatchObject({ pending: false });
  for (const other of listed.keys()) expect(bucketOf(other)).toBe(bucketOf(id));
});

test('another channel’s records are in no bucket, and a channel without a marker has everything pending', async () => {
  const one = await scene();
  await scene();
  expect(await one.digest()).toMatchObject({ records: 0, pending: IDS.length + 1 });
});

test('what is from before the channel is pending until a reset covers it', async () => {
  const one = await scene();
  const stored = await one.stored();
  await beginMarkers(api.store, one.slug, new Map([['tickets', stored[2]!.position]]));
  await passAll(one);
  expect(await one.digest()).toMatchObject({ records: stored.length - 3, pending: 3 });
  await resetChannelMarker(api.store, await one.channel(), 'tickets', new Date(0));
  expect(await one.digest()).toMatchObject({ records: 0, pending: stored.length });
  await passAll(one);
  expect(await one.digest()).toMatchObject({ records: stored.length, pending: 0 });
});

test('records that were stored and passed while it is made are no newer than as_of says', async () => {
  const one = await scene();
  await passAll(one);
  let meanwhile: Promise<void> | undefined;
  const busy = rewire(api.store, async ({ collection, run }) => {
    if (collection === 'markers') await (meanwhile ??= one.push(['late']).then(() => passAll(one)));
    return run();
  });
  const base = await baseOf(one, busy);
  const late = (await one.stored()).at(-1)!;
  expect([isPending(base, late), late.updated_at > base.as_of]).toEqual([false, false]);
});

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const line = ({ id, updated_at }: { id: string; updated_at: Date }) => `${id} ${updated_at.toISOString()}\n`;

/** The ranges of a customer who holds everything stored, each up to one of these ids; the last has no end. */
async function rangesOf(one: Scene, ends: string[]) {
  const held = (await one.stored()).map(({ _id: id, updated_at }) => ({ id, updated_at }));
  held.sort((a, b) => bytes(a.id).compare(bytes(b.id)));
  return [...ends.map(bytes), undefined].map((end, index) => {
    const after = index === 0 ? undefined : bytes(ends[index - 1]!);
    const isIn = (id: Buffer) => (!after || id.compare(after) > 0) && (!end || id.compare(end) <= 0);
    const ofRange = held.filter(({ id }) => isIn(bytes(id)));
    return {
      ...{ up_to: end?.toString() ?? null, hash: sha256(ofRange.map(line).join('')) },
      ids: ofRange.map(({ id }) => id),
    };
  });
}

const compareRanges = async (one: Scene, ranges: { up_to?: string | null; hash: string }[]) =>
  api.ask('POST', one.path, { token: one.token, body: { entity_type: 'tickets', ranges } });

describe('compares the hashes of ranges', () => {
  test('and lists the ranges that differ, whole, and no others', async () => {
    const one = await scene();
    await passAll(one);
    const ranges = await rangesOf(one, [one.account('10'), one.account('2'), one.account('\uff5e')]);
    expect(ranges.map(({ ids }) => ids.length)).toEqual([2, 1, 5, 2]);
    const { json } = await compareRanges(one, ranges);
    expect(json).toMatchObject({ entity_type: 'tickets', records: IDS.length + 1, pending: 0 });
    expect([json.data, json.ranges]).toEqual([[], []]);

    for (const index of [0, 2]) ranges[index]!.hash = sha256('another');
    const differing = (await compareRanges(one, ranges)).json;
    expect(differing.ranges).toEqual([0, 2]);
    const listed = differing.data.map(({ id }: { id: string }) => id);
    expect(listed).toEqual([...ranges[0]!.ids, ...ranges[2]!.ids]);
  });

  test('without what is pending, which is listed as such', async () => {
    const one = await scene();
    await passAll(one);
    const ranges = await rangesOf(one, [one.account('10')]);
    await one.push(['1'], 'A', { net_weight: 5, weight_uom: 'lb' });
    const { json } = await compareRanges(one, ranges);
    expect(json).toMatchObject({ records: IDS.length, pending: 1, ranges: [0] });
    expect(json.data).toMatchObject([
      { id: one.account('1'), pending: true },
      { id: one.account('10'), pending: false },
    ]);
  });

  test('of several companies, in the order of the ids however the channel names them', async () => {
    const companies = ['w7', 'w40', 'w41'];
    for (const id of companies)
      await pushRecords(api.store, { tickets: [{ id: '1', account_id: 'A' }] }, { id, name: 'Co-op' });
    const token = await channelKey(api.store, 'several', { companies });
    const stored = records(api.store, 'tickets')
      .find({ company_id: { $in: companies } })
      .sort({ _id: 1 });
    const held = (await stored.toArray()).map(({ _id: id, updated_at }) => ({ id, updated_at }));
    await beginMarkers(api.store, 'several', new Map([['tickets', 0]]));
    const markers = api.store.db.collection<{ _id: string }>('markers');
    await markers.updateOne({ _id: markerId('several', 'tickets') }, { $set: { position: 1_000_000 } });
    const body = { entity_type: 'tickets', ranges: [{ hash: sha256(held.map(line).join('')) }] };
    const path = '/api/v1/channels/several/digest?entity_type=tickets';
    const { json } = await api.ask('POST', path, { token, body });
    expect(json).toMatchObject({ records: 3, pending: 0, ranges: [] });
  });

  test('of one that holds nothing', async () => {
    const one = await scene();
    await passAll(one);
    const { json } = await compareRanges(one, [{ hash: sha256('') }]);
    expect(json).toMatchObject({ records: IDS.length + 1, ranges: [0] });
    expect(json.data).toHaveLength(IDS.length + 1);
  });

  const hash = sha256('');
  test('two thousand of them, up to the longest ids', async () => {
    const one = await scene();
    const ends = Array.from({ length: 1_999 }, (_, index) => `${1_000 + index}${'🌾'.repeat(189)}`);
    const { status, json } = await compareRanges(one, [
      ...ends.map((up_to) => ({ up_to, hash })),
      { up_to: null, hash },
    ]);
    expect([status, json.ranges]).toEqual([200, []]);
  });

  test.each([
    [undefined, ['ranges']],
    [[], ['ranges']],
    [Array.from({ length: 2_001 }, () => ({ hash })), ['ranges']],
    [[null], ['ranges[0].hash']],
    [[{ hash: hash.toUpperCase() }], ['ranges[0].hash']],
    [[{ up_to: 'a', hash }], ['ranges[0].up_to']],
    [[{ hash }, { hash }], ['ranges[0].up_to']],
    [[{ up_to: '', hash }, { hash }], ['ranges[0].up_to']],
    [[{ up_to: 'x'.repeat(194), hash }, { hash }], ['ranges[0].up_to']],
    [
      [{ up_to: 'b', hash }, { up_to: 'a' }, { hash }],
      ['ranges[1].hash', 'ranges[1].up_to'],
    ],
    [[{ up_to: '\u{1f33d}', hash }, { up_to: '\uff5e', hash }, { hash }], ['ranges[1].up_to']],
  ])('422 for ranges %j', async (ranges, fields) => {
    const one = await scene();
    const answer = await compareRanges(one, ranges as never);
    expectError(answer, 422, 'VALIDATION_ERROR');
    expect(Object.keys(answer.json.validation_messages)).toEqual(fields);
  });
});

describe('scope subscribed', () => {
  const keyOf = (one: Scene, account: string) => ({
    ...{ farmer: 'f1', channel: one.slug, partner_id: 'P' },
    account: one.account(account),
  });
  const begun = (one: Scene) =>
    api.store.db.collection('subscriptions').updateMany({ channel: one.slug }, { $set: { to_begin: [] } });
  const catchUp = (one: Scene, account: string, position: number, until: number) =>
    api.store.db.collection<{ _id: string }>('markers').replaceOne(
      { _id: `${markerId(one.slug, 'tickets')}/${one.account(account)}` },
      {
        ...{ channel: one.slug, entity_type: 'tickets', account: one.account(account), begun: 0 },
        ...{ position, until },
      },
      { upsert: true },
    );

  test('nothing, then pending until the catch-up has passed it, then counted, then gone', async () => {
    const one = await scene({ scope: 'subscribed' });
    await passAll(one);
    expect(await one.digest()).toMatchObject({ records: 0, pending: 0 });
    await grantAccounts(api.store, await one.channel(), [keyOf(one, 'A')]);
    expect(await one.digest()).toMatchObject({ records: 0, pending: IDS.length });
    await begun(one);
    const [first, ...rest] = await one.stored();
    await catchUp(one, 'A', first!.position, rest.at(-1)!.position);
    expect(await one.digest()).toMatchObject({ records: 1, pending: IDS.length - 1 });
    await catchUp(one, 'A', first!.position, rest[1]!.position); // what lies above its end was sent otherwise
    expect(await one.digest()).toMatchObject({ records: IDS.length - 2, pending: 2 });
    await api.store.db.collection<{ _id: string }>('markers').deleteOne({ account: one.account('A') });
    expect(await one.digest()).toMatchObject({ records: IDS.length, pending: 0 });
    await revokeAccounts(api.store, [keyOf(one, 'A')]);
    expect(await one.digest()).toMatchObject({ records: 0, pending: 0 });
  });

  test('a record that was corrected away counts, as the customer was told; each record once', async () => {
    const one = await scene({ scope: 'subscribed' });
    await one.push(['1'], 'C');
    await grantAccounts(api.store, await one.channel(), [keyOf(one, 'A'), keyOf(one, 'B')]);
    await begun(one);
    await one.push(['2'], 'B'); // of A before
    await passAll(one);
    expect(await one.digest()).toMatchObject({ records: IDS.length + 1, pending: 0 });
  });

  test('a record that was corrected away from an account is pending until that account’s catch-up has passed it', async () => {
    const one = await scene({ scope: 'subscribed' });
    await one.push(['1'], 'B'); // of A before
    await passAll(one);
    await grantAccounts(api.store, await one.channel(), [keyOf(one, 'A')]);
    expect(await one.digest()).toMatchObject({ records: 0, pending: IDS.length });
    await begun(one);
    expect(await one.digest()).toMatchObject({ records: IDS.length, pending: 0 });
  });

  test('what is from before the channel counts, once a catch-up has brought it', async () => {
    const one = await scene({ scope: 'subscribed' });
    await beginMarkers(api.store, one.slug, new Map([['tickets', (await one.stored())[2]!.position]]));
    await grantAccounts(api.store, await one.channel(), [keyOf(one, 'A')]);
    await begun(one);
    await passAll(one);
    expect(await one.digest()).toMatchObject({ records: IDS.length, pending: 0 });
  });

  test('what is revoked while it is made is not in it', async () => {
    const one = await scene({ scope: 'subscribed' });
    await grantAccounts(api.store, await one.channel(), [keyOf(one, 'A'), keyOf(one, 'B')]);
    await begun(one);
    let revoked: Promise<unknown> | undefined;
    const busy = rewire(api.store, async ({ collection, run }) => {
      if (collection === 'markers') await (revoked ??= revokeAccounts(api.store, [keyOf(one, 'A')]));
      return run();
    });
    const { selection } = await baseOf(one, busy);
    expect([...selection.shared!]).toEqual([one.account('B')]);
  });

  test('what a reset sends again while it is made is pending', async () => {
    const one = await scene({ scope: 'subscribed' });
    await one.push(['late']);
    await grantAccounts(api.store, await one.channel(), [keyOf(one, 'A')]);
    await begun(one);
    await passAll(one);
    const late = (await one.stored()).at(-1)!;
    await catchUp(one, 'A', 0, late.position);
    let reset: Promise<unknown> | undefined;
    const busy = rewire(api.store, async ({ collection, run }) => {
      const answer = await run();
      if (collection === 'markers')
        await (reset ??= resetChannelMarker(api.store, await one.channel(), 'tickets', late.updated_at));
      return answer;
    });
    expect(isPending(await baseOf(one, busy), late)).toBe(true);
  });

  test('both ways of reading find the same', async () => {
    const one = await scene({ scope: 'subscribed' });
    await grantAccounts(api.store, await one.channel(), [keyOf(one, 'A')]);
    await begun(one);
    await passAll(one);
    await one.push(['10'], 'B'); // away
    await one.push(['other'], 'A'); // and here
    const found = await api.store.client.withSession({ causalConsistency: true }, async (session) => {
      const base = (await readDigestBase(api.store, one.slug, 'tickets', session))!;
      const all = async (most: number) => {
        const list = [];
        for await (const batch of digestRecords(api.store, 'tickets', base, { session }, most))
          list.push(...batch);
        return list;
      };
      return [await all(1_000), await all(0)];
    });
    expect(found[0]).toHaveLength(IDS.length + 1);
    expect(found[0]!.filter(({ pending }) => pending)).toHaveLength(2);
    expect(found[1]).toEqual(found[0]);
  });

  test('a record that changes while the accounts are read is in it as it is now', async () => {
    const one = await scene({ scope: 'subscribed' });
    await grantAccounts(api.store, await one.channel(), [keyOf(one, 'A')]);
    await begun(one);
    await passAll(one);
    const base = await baseOf(one);
    let changed: Promise<unknown> | undefined;
    const busy = rewire(api.store, async ({ collection, run }) => {
      const found = await run();
      if (collection === 'tickets') await (changed ??= one.push(['1'], 'A', { note: 'corrected' }));
      return found;
    });
    const list = [];
    for await (const batch of digestRecords(busy, 'tickets', base, {})) list.push(...batch);
    expect(list.filter(({ id }) => id === one.account('1'))).toMatchObject([{ pending: true }]);
  });

  test('a record that moves between accounts while they are read is pending, not lost', async () => {
    const one = await scene({ scope: 'subscribed' });
    await grantAccounts(api.store, await one.channel(), [keyOf(one, 'A'), keyOf(one, 'B')]);
    await begun(one);
    await passAll(one);
    await api.store.client.withSession({ causalConsistency: true }, async (session) => {
      const base = (await readDigestBase(api.store, one.slug, 'tickets', session))!;
      await one.push(['1'], 'B');
      await one.push(['1'], 'C');
      const list = [];
      for await (const batch of digestRecords(api.store, 'tickets', base, { session })) list.push(...batch);
      expect(list.find(({ id }) => id === one.account('1'))).toMatchObject({ pending: true });
      expect(list).toHaveLength(IDS.length + 1);
    });
  });
});

test('one at a time for a channel, and the turn ends with the answer or the connection', async () => {
  const one = await scene();
  await passAll(one);
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => api.ask('GET', one.path, { token: one.token })),
  );
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused[0]!.headers['retry-after']).toBe('5');
  const url = `http://127.0.0.1:${api.port}${one.path}`;
  const request = get(url, { headers: { authorization: one.token } });
  request.on('error', () => undefined);
  const closed = new Promise((done) => request.on('close', done));
  await setTimeout(20);
  request.destroy();
  await closed;
  await setTimeout(200);
  expect((await api.ask('GET', one.path, { token: one.token })).status).toBe(200);
});

const ALL_BUCKETS = Array.from({ length: 256 }, (_, bucket) => bucket.toString(16).padStart(2, '0')).join(
  ',',
);

/** A scene whose digest of every bucket is more than the sockets between its reader and the API hold. */
async function largeDigest() {
  const one = await scene();
  const [record] = await one.stored();
  const many = Array.from({ length: 200_000 }, (_, index) => ({ ...record, _id: `${record!._id}-${index}` }));
  const store = rewire(api.store, ({ collection, run }) =>
    collection === 'tickets' ? Promise.resolve(many) : run(),
  );
  const large = await startApi({ store });
  const url = `http://127.0.0.1:${large.port}${one.path}&bucket=${ALL_BUCKETS}`;
  const ask = () => get(url, { headers: { authorization: one.token } });
  return { one, large, ask };
}

slowTest('an answer that waits for its reader for five minutes is cut off, and its turn ends', async () => {
  const { one, large, ask } = await largeDigest();
  const realTimeout = globalThis.setTimeout;
  const sooner = (run: () => void, ms?: number) => realTimeout(run, ms && ms > 4 * 60_000 ? 200 : ms);
  const timers = jest.spyOn(globalThis, 'setTimeout').mockImplementation(sooner as typeof realTimeout);
  try {
    const request = ask();
    const began = performance.now();
    const [response] = (await once(request, 'response')) as [IncomingMessage]; // nothing of it is read
    response.on('error', () => undefined);
    const second = () => api.ask('GET', one.path, { token: one.token });
    await eventually(async () => expect((await second()).status).toBe(200), 20_000);
    expect(performance.now() - began).toBeLessThan(20_000); // silence alone is cut off after 30 s
    request.destroy();
  } finally {
    timers.mockRestore();
    await large.stop();
  }
});

slowTest('of five minutes, those that one piece has waited are gone for the next', async () => {
  const { large, ask } = await largeDigest();
  const timers = jest.spyOn(globalThis, 'setTimeout');
  const request = ask();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const left = () => timers.mock.calls.flatMap(([, ms]) => (ms && ms > 4 * 60_000 ? ms : []));
  await eventually(() => expect(left().length).toBeGreaterThanOrEqual(3)); // the large one waits
  await setTimeout(300);
  response.resume();
  await once(response, 'end');
  const [first, last] = [left()[0], left().at(-1)];
  timers.mockRestore();
  await large.stop();
  expect(first).toBe(5 * 60_000);
  expect(last).toBeLessThanOrEqual(5 * 60_000 - 200);
});

test('an answer that breaks off is cut off, and cannot pass for a whole one', async () => {
  const one = await scene();
  let isAway = true;
  const store = rewire(api.store, async ({ collection, run }) => {
    if (collection === 'tickets' && isAway) throw new Error('away');
    return run();
  });
  const broken = await startApi({ store });
  const url = `http://127.0.0.1:${broken.port}${one.path}`;
  const request = get(url, { headers: { authorization: one.token } });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const closed = new Promise((resolve) => response.once('close', () => resolve('cut off')));
  response.on('error', () => undefined).resume();
  expect(await Promise.race([closed, setTimeout(15_000, 'left open')])).toBe('cut off');
  expect(response.complete).toBe(false);
  isAway = false;
  expect((await broken.ask('GET', one.path, { token: one.token })).status).toBe(200);
  await broken.stop();
});

test('who asks while four others have their turns is refused, and only then', async () => {
  const [late, ...others] = await Promise.all(Array.from({ length: 5 }, () => scene()));
  const halt = stopHere();
  let begun = 0;
  const store = rewire(api.store, async ({ collection, run }) => {
    if (collection === 'counters') begun += 1;
    if (collection === 'counters') await halt.here();
    return run();
  });
  const slow = await startApi({ store });
  const ask = async ({ path, token }: Scene) => (await slow.ask('GET', path, { token })).status;
  const answers = others.map(ask);
  await eventually(() => expect(begun).toBe(4));
  expect(await ask(late!)).toBe(429);
  halt.goOn();
  expect(await Promise.all(answers)).toEqual([200, 200, 200, 200]);
  expect(await ask(late!)).toBe(200);
  await slow.stop();
});

test('who has left before the turn came keeps none', async () => {
  const one = await scene();
  const lookedUp = new EventEmitter();
  const store = rewire(api.store, async ({ collection, run }) => {
    if (collection === 'channels' && lookedUp.emit('begun')) await once(lookedUp, 'go on');
    return run();
  });
  const slow = await startApi({ store });
  const url = `http://127.0.0.1:${slow.port}${one.path}`;
  const request = get(url, { headers: { authorization: one.token } });
  request.on('error', () => undefined);
  await once(lookedUp, 'begun'); // by the first request alone: nobody listens later
  request.destroy();
  await setTimeout(100);
  lookedUp.emit('go on');
  await setTimeout(100);
  expect((await slow.ask('GET', one.path, { token: one.token })).status).toBe(200);
  await slow.stop();
});

describe('422 VALIDATION_ERROR', () => {
  test.each([
    ['', 'entity_type'],
    ['entity_type=cattle', 'entity_type'],
    ['entity_type=elevators', 'entity_type'],
    ['entity_type=tickets&entity_type=tickets', 'entity_type'],
    ['entity_type=tickets&bucket=', 'bucket'],
    ['entity_type=tickets&bucket=3', 'bucket'],
    ['entity_type=tickets&bucket=3F', 'bucket'],
    ['entity_type=tickets&bucket=00&bucket=01', 'bucket'],
    [`entity_type=tickets&bucket=${'00,'.repeat(256)}00`, 'bucket'],
    ['entity_type=tickets&bucket[$gt]=00', undefined],
  ])('%s', async (query, field) => {
    const one = await scene();
    const answer = await api.ask('GET', `/api/v1/channels/${one.slug}/digest?${query}`, { token: one.token });
    if (!field) return void expect(answer.status).toBe(200); // a parameter that is not known
    expectError(answer, 422, 'VALIDATION_ERROR');
    expect(Object.keys(answer.json.validation_messages)).toEqual([field]);
  });

  test('of a type that the channel does not carry', async () => {
    const token = await channelKey(api.store, 'only-accounts', { entity_types: ['accounts'] });
    const answer = await api.ask('GET', '/api/v1/channels/only-accounts/digest?entity_type=tickets', {
      token,
    });
    expect(answer.json.validation_messages.entity_type).toEqual(['this channel carries only accounts']);
  });
});
