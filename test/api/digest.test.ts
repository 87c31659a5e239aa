import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { bucketOf, DigestBuckets } from '../../domain/records/digest';
import { isPending } from '../../store/digest/digest-base';
import { beginMarkers, markerId } from '../../store/markers/markers';
import { resetChannelMarker } from '../../store/markers/reset-channel-marker';
import { records } from '../../store/records/records';
import { rewire } from '../commit-order/rewire';
import { pushRecords } from '../setup/push-records';
import { type DigestScene, IDS, openDigestScene } from './open-digest-scene';
import { type Api, channelKey, expectError, startApi } from './start-api';
import { slowTest } from '../setup/cases';

let api: Api;
beforeAll(async () => {
  api = await startApi();
});

const scene = (scope?: 'all' | 'subscribed') => openDigestScene(api, scope);

describe('digest', () => {
  const bytes = (id: string) => Buffer.from(id);

  slowTest('hashes what the marker has passed, in the order of the bytes of the ids', async () => {
    const one = await scene();
    await one.passAll();
    const digest = new DigestBuckets();
    const stored = await one.stored();
    for (const { _id: id, updated_at } of stored.sort((a, b) => bytes(a._id).compare(bytes(b._id))))
      digest.add({ id, updated_at, pending: false });
    const answer = await one.digest();
    expect(answer).toMatchObject({ entity_type: 'tickets', records: IDS.length + 1, pending: 0 });
    expect(answer.buckets).toEqual(digest.finish());
  });

  slowTest(
    'what changes above the marker is pending, and what is later than as_of is not known',
    async () => {
      const one = await scene();
      await one.passAll();
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
    },
  );

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
    await one.passAll();
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
    await one.passAll();
    expect(await one.digest()).toMatchObject({ records: stored.length - 3, pending: 3 });
    await resetChannelMarker(api.store, await one.channel(), 'tickets', new Date(0));
    expect(await one.digest()).toMatchObject({ records: 0, pending: stored.length });
    await one.passAll();
    expect(await one.digest()).toMatchObject({ records: stored.length, pending: 0 });
  });

  test('records that were stored and passed while it is made are no newer than as_of says', async () => {
    const one = await scene();
    await one.passAll();
    let meanwhile: Promise<void> | undefined;
    const busy = rewire(api.store, async ({ collection, run }) => {
      if (collection === 'markers') await (meanwhile ??= one.push(['late']).then(() => one.passAll()));
      return run();
    });
    const base = await one.base(busy);
    const late = (await one.stored()).at(-1)!;
    expect([isPending(base, late), late.updated_at > base.as_of]).toEqual([false, false]);
  });

  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  const line = ({ id, updated_at }: { id: string; updated_at: Date }) =>
    `${id} ${updated_at.toISOString()}\n`;

  /** The ranges of a customer who holds everything stored, each up to one of these ids; the last has no end. */
  async function rangesOf(one: DigestScene, ends: string[]) {
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

  const compareRanges = async (one: DigestScene, ranges: { up_to?: string | null; hash: string }[]) =>
    api.ask('POST', one.path.split('?')[0]!, { token: one.token, body: { entity_type: 'tickets', ranges } });

  describe('compares the hashes of ranges', () => {
    test('and lists the ranges that differ, whole, and no others', async () => {
      const one = await scene();
      await one.passAll();
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
      await one.passAll();
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
      const path = '/api/v1/channels/several/digest';
      const { json } = await api.ask('POST', path, { token, body });
      expect(json).toMatchObject({ records: 3, pending: 0, ranges: [] });
    });

    test('of one that holds nothing', async () => {
      const one = await scene();
      await one.passAll();
      const { json } = await compareRanges(one, [{ hash: sha256('') }]);
      expect(json).toMatchObject({ records: IDS.length + 1, ranges: [0] });
      expect(json.data).toHaveLength(IDS.length + 1);
    });

    const hash = sha256('');
    const MOST = 2_000;
    test('two thousand of them, up to the longest ids', async () => {
      const one = await scene();
      const ends = Array.from({ length: MOST - 1 }, (_, index) => `${1_000 + index}${'🌾'.repeat(189)}`);
      const { status, json } = await compareRanges(one, [
        ...ends.map((up_to) => ({ up_to, hash })),
        { up_to: null, hash },
      ]);
      expect([status, json.ranges]).toEqual([200, []]);
    });

    test.each([
      [undefined, ['ranges']],
      [[], ['ranges']],
      [Array.from({ length: MOST + 1 }, () => ({ hash })), ['ranges']],
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
      ['entity_type=tickets&bucket[$gt]=00', 'bucket[$gt]'],
    ])('%s', async (query, field) => {
      const one = await scene();
      const answer = await api.ask('GET', `/api/v1/channels/${one.slug}/digest?${query}`, {
        token: one.token,
      });
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
});
