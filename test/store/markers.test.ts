import type { EntityType } from '../../domain/records/entity-types';
import { findChannel, limitPageSize } from '../../store/channels/channels';
import { type Subscription, subscriptions } from '../../store/consent/subscriptions';
import { noteStumble } from '../../store/deliveries/set-aside';
import { beginCatchUps, type CatchUp, listCatchUps } from '../../store/markers/catch-ups';
import { lastConfirmed } from '../../store/markers/last-confirmed';
import { listBacklogs } from '../../store/markers/list-backlogs';
import { listChannelMarkers } from '../../store/markers/list-channel-markers';
import {
  beginMarkers,
  ensureMarkers,
  type Marker,
  markerId,
  moveMarker,
  noteFound,
  noteUnconfirmed,
  readMarkers,
  skipEmptyWindow,
  skipMarker,
  startMarker,
  takeEpoch,
} from '../../store/markers/markers';
import { countForReset, moveMarkerBack, resetChannelMarker } from '../../store/markers/reset-channel-marker';
import { records } from '../../store/records/records';
import type { Store } from '../../store/store';
import { floorOf } from '../../store/window/change-times';
import { rewire } from '../commit-order/rewire';
import { addTestChannel } from '../setup/add-test-channel';
import { emptyStore } from '../setup/open-store';
import { overWithin } from '../setup/over-within';
import { pushRecords } from '../setup/push-records';
import { slowTest } from '../setup/cases';

let store: Store;
beforeEach(async () => {
  store = await emptyStore();
});

describe('markers', () => {
  const ID = markerId('acme', 'tickets');
  const AT = { collection: 'markers', id: ID } as const;

  beforeEach(async () => {
    await startMarker(store, 'acme', 'tickets', 0);
  });

  const marker = async () => (await readMarkers(store, 'acme')).get('tickets')!;
  const progress = { delivery: 'delivery/acme/tickets/1', pages: 1, records: 2, bytes: 300 };
  const at = new Date('2026-11-20T08:00:00Z');
  const to = (position: number) => ({ position, timestamp: at, progress });
  const reset = (floor: number | undefined, type: EntityType = 'tickets', slug = 'acme') =>
    moveMarkerBack(store, slug, type, { timestamp: at, floor });
  const attempt = async (generation = 0) => {
    const begun = await takeEpoch(store, ID, generation);
    return { id: ID, epoch: begun!.epoch };
  };

  slowTest('what the channel’s own markers are asked for fetches no catch-up', async () => {
    const open = Array.from({ length: 300 }, (_, account) => `42-${account}`).map((account) => ({
      ...{ _id: `${ID}/${account}`, channel: 'acme', entity_type: 'tickets', account, delivered_at: null },
    }));
    await store.db.collection<{ _id: string }>('markers').insertMany(open);
    const examined: number[] = [];
    const seen = rewire(store, async ({ collection, args: [filter], run }) => {
      const found = store.db.collection(collection).find(filter!);
      const { executionStats } = await found.explain('executionStats');
      examined.push((executionStats as { totalDocsExamined: number }).totalDocsExamined);
      return run();
    });
    expect([...(await readMarkers(seen, 'acme')).keys()]).toEqual(['tickets']);
    expect(examined).toEqual([1]);
  });

  test('an attempt begins with a new epoch, and moves the marker past what was confirmed', async () => {
    const fence = await attempt();
    expect(fence.epoch).toBe(1);
    expect(await moveMarker(store, fence, to(5))).toBe(true);
    expect(await moveMarker(store, fence, to(9))).toBe(true); // the epoch is the attempt's, not the page's
    expect(await marker()).toMatchObject({ position: 9, generation: 0, epoch: 1, timestamp: at, progress });
    expect((await marker()).delivered_at).toBeInstanceOf(Date);
  });

  test('a newer attempt fences the older one out', async () => {
    const older = await attempt();
    const newer = await attempt();
    expect(await moveMarker(store, older, to(5))).toBe(false);
    expect(await skipMarker(store, older, 5)).toBe(false);
    expect(await marker()).toMatchObject({ position: 0, delivered_at: null });
    expect(await moveMarker(store, newer, to(3))).toBe(true);
  });

  test('a confirmed page ends what the customer had asked for, and what it stumbled over', async () => {
    await noteUnconfirmed(store, ID, { not_before: at, unanswered: true });
    await noteStumble(store, AT, { delivery: 'first' });
    expect(await marker()).toMatchObject({ not_before: at, unanswered: true, stumble: { deliveries: 1 } });
    await moveMarker(store, await attempt(), to(5));
    const { not_before, unanswered, stumble } = await marker();
    expect([not_before, unanswered, stumble]).toEqual([undefined, undefined, undefined]);
  });

  test('a stumble is counted once a delivery, and what was refused alone is kept', async () => {
    const note = (delivery: string, refused?: number[]) =>
      noteStumble(store, AT, { delivery, ...(refused && { refused, confirmed: at }) });
    expect((await note('first')).deliveries).toBe(1);
    expect((await note('first', [3])).deliveries).toBe(1);
    expect(await note('second')).toMatchObject({ deliveries: 2, refused: [3], confirmed: at });
  });

  test('what a plan has found counts only where no reset has come since', async () => {
    const [seen, found] = [await marker(), { to: 9, records: 9, more: false, since: null }];
    await noteFound(store, seen, found);
    expect((await marker()).found).toMatchObject(found);
    await reset(0);
    await noteFound(store, seen, found);
    expect((await marker()).found).toBeUndefined();
  });

  test('what was found above the marker becomes less with every page', async () => {
    await noteFound(store, await marker(), { to: 9, records: 9, more: false, since: at });
    const fence = await attempt();
    await moveMarker(store, fence, { ...to(4), records: 4 });
    await moveMarker(store, fence, { ...to(7), records: 2 });
    expect((await marker()).found).toMatchObject({ to: 9, records: 3 });
  });

  test('passing over positions is not a delivery', async () => {
    expect(await skipMarker(store, await attempt(), 8)).toBe(true);
    expect(await marker()).toMatchObject({ position: 8, timestamp: null, delivered_at: null });
  });

  test('an empty window is passed over only if nobody came between, and fences out who comes late', async () => {
    const fence = await attempt();
    const seen = await marker();
    await skipEmptyWindow(store, seen, 4);
    expect(await marker()).toMatchObject({ position: 4, epoch: 2 });
    expect(await moveMarker(store, fence, to(2))).toBe(false);
    await skipEmptyWindow(store, seen, 9); // what was seen is no longer so
    expect((await marker()).position).toBe(4);
    await reset(0);
    await skipEmptyWindow(store, { ...seen, epoch: 3 }, 9);
    expect((await marker()).position).toBe(0);
  });

  describe('a reset', () => {
    beforeEach(async () => {
      await pushRecords(store, { tickets: ['T1', 'T2', 'T3'].map((id) => ({ id, account_id: '1001' })) });
      await moveMarker(store, await attempt(), to(3));
    });

    test('moves the marker back and fences out every attempt, in flight or planned', async () => {
      const inFlight = await attempt();
      const before = Date.now();
      await reset(1);
      const after = await marker();
      expect(after).toMatchObject({ position: 1, generation: 1, epoch: inFlight.epoch + 1 });
      expect(after.last_reset?.timestamp).toEqual(at);
      expect(after.last_reset!.at.getTime()).toBeGreaterThanOrEqual(before);
      expect(await moveMarker(store, inFlight, to(3))).toBe(false);
      expect(await takeEpoch(store, ID, 0)).toBeNull();
      expect(await moveMarker(store, await attempt(1), to(2))).toBe(true);
    });

    test('never moves it forward', async () => {
      await reset(7);
      expect(await marker()).toMatchObject({ position: 3, generation: 1 });
      await reset(0);
      expect(await marker()).toMatchObject({ position: 0, generation: 2, timestamp: null });
    });

    test('with nothing to send again leaves it where it is, and those at work alone', async () => {
      const inFlight = await attempt();
      await reset(undefined);
      expect(await marker()).toMatchObject({ position: 3, generation: 0, last_reset: { timestamp: at } });
      expect(await moveMarker(store, inFlight, to(3))).toBe(true);
    });

    test('takes back where a channel began, and tells no other channel that it began there', async () => {
      const began = async (slug: string) => (await readMarkers(store, slug)).get('tickets')?.began;
      await beginMarkers(store, 'bison', new Map([['tickets', 2]]));
      for (const slug of ['acme', 'bison']) await reset(3, 'tickets', slug);
      expect([await began('acme'), await began('bison')]).toEqual([undefined, 2]);
      await reset(1, 'tickets', 'bison');
      expect(await began('bison')).toBe(1);
    });

    test('says so only once the marker has moved: until then the customer holds what it has passed', async () => {
      await beginMarkers(store, 'bison', new Map([['tickets', 2]]));
      const bison = async () => (await readMarkers(store, 'bison')).get('tickets')!;
      const positions: number[] = [];
      const watched = rewire(store, async ({ args, run }) => {
        if (args[1]?.['$set']?.began !== undefined) positions.push((await bison()).position);
        return run();
      });
      await moveMarkerBack(watched, 'bison', 'tickets', { timestamp: at, floor: 0 });
      expect([positions, (await bison()).began]).toEqual([[0], 0]);
    });

    test('of a type that was never delivered makes its marker', async () => {
      await reset(0, 'contracts');
      expect((await readMarkers(store, 'acme')).get('contracts')).toMatchObject({
        position: 0,
        generation: 1,
      });
    });
  });

  test('markers that are there stay as they are; those that are missing begin at the beginning', async () => {
    await skipMarker(store, await attempt(), 8);
    const found = await ensureMarkers(store, 'acme', ['accounts', 'tickets']);
    expect([...found].map(([type, { position }]) => [type, position]).sort()).toEqual([
      ['accounts', 0],
      ['tickets', 8],
    ]);
    expect([...(await ensureMarkers(store, 'acme', ['tickets'])).keys()].sort()).toEqual([
      'accounts',
      'tickets',
    ]);
  });

  test('a channel that begins now: where it starts can change until its first attempt', async () => {
    const begin = (position: number) => beginMarkers(store, 'bison', new Map([['tickets', position]]));
    const position = async () => (await readMarkers(store, 'bison')).get('tickets')?.position;
    await begin(5);
    await begin(7);
    expect(await position()).toBe(7);
    await takeEpoch(store, markerId('bison', 'tickets'), 0);
    await begin(9);
    expect(await position()).toBe(7);
  });
});

describe('catch-ups', () => {
  // With deliveries beside it: test/sharing/interleavings.test.ts.

  const TICKETS = ['T1', 'T2', 'T3'].map((id) => ({ id, account_id: '1001' }));
  const ID = `${markerId('acme', 'tickets')}/42-1001`;

  beforeEach(async () => {
    await addTestChannel(store, 'acme', 'https://acme.example', { scope: 'subscribed' });
    await pushRecords(store, { tickets: TICKETS });
    await startMarker(store, 'acme', 'tickets', 3);
  });

  /** A grant of account 1001 that no plan has seen, of its own partner_id. */
  const grant = (version: number, more: Partial<Subscription> = {}) =>
    subscriptions(store).insertOne({
      ...{ _id: `grant-${version}`, channel: 'acme', partner_id: `policy-${version}`, account: '42-1001' },
      ...{ state: 'granted', to_begin: ['tickets'], version, ...more },
    } as Subscription);

  const begin = (through = store) =>
    through.client.withSession((session) => beginCatchUps(through, 'acme', 'tickets', session));
  const list = () => listCatchUps(store, 'acme', 'tickets');
  const firstOf = (version: number) => version * 2 ** 20;

  test.each([
    [5, 2],
    [2, 5],
  ])('of two grants of an account, %i and %i, the newer one is begun', async (one, other) => {
    await grant(one);
    await grant(other);
    await begin();
    const generation = firstOf(5);
    expect(await list()).toMatchObject([{ account: '42-1001', generation, epoch: generation, total: 3 }]);
  });

  test('all grants of an account are begun together, however many of others are due', async () => {
    const other = (version: number) =>
      ({
        ...{ _id: `grant-${version}`, channel: 'acme', partner_id: 'p', account: `42-${version}` },
        ...{ state: 'granted', to_begin: ['tickets'], version },
      }) as Subscription;
    await subscriptions(store).insertMany(Array.from({ length: 150 }, (_, index) => other(index + 1)));
    await grant(75.5); // in the middle, so that no batch of one end has it
    await grant(200, { from: { accounts: 0, contracts: 0, tickets: 1, settlements: 0 } });
    await begin();
    await begin();
    expect(await list()).toMatchObject([{ account: '42-1001', position: 0, total: 3 }]);
  });

  test('a plan sorts the grants that are due for their batch alone, and not to learn whether there is one', async () => {
    await grant(2);
    const asked: string[] = [];
    await begin(
      rewire(store, ({ collection, method, run }) => {
        if (collection === 'subscriptions') asked.push(method);
        return run();
      }),
    );
    expect(asked.filter((method) => method === 'find')).toHaveLength(2);
  });

  test('of more than are asked for half are of the newest grants, which come first, and half of the oldest', async () => {
    const ofAccount = (version: number) => ({
      ...{
        _id: `${markerId('acme', 'tickets')}/${version}`,
        channel: 'acme',
        entity_type: 'tickets' as const,
      },
      ...{
        account: String(version),
        position: 0,
        until: 3,
        total: 3,
        generation: firstOf(version),
      },
      ...{ epoch: 0, timestamp: null, delivered_at: null },
    });
    await store.db.collection<CatchUp>('markers').insertMany([1, 2, 3, 4, 5, 6].map(ofAccount));
    const first = async (limit: number) =>
      (await listCatchUps(store, 'acme', 'tickets', { limit })).map(({ account }) => account);
    expect(await first(4)).toEqual(['6', '5', '1', '2']);
    expect(await first(10)).toEqual(['6', '5', '4', '3', '2', '1']);
    const ofOneGrant = [...'abcdef'].map((account) => ({
      ...ofAccount(9),
      _id: `acme/tickets/${account}`,
      account,
    }));
    await store.db.collection<CatchUp>('markers').insertMany(ofOneGrant);
    expect(await first(4)).toEqual(['a', 'b', '1', '2']);
    await store.db.collection<CatchUp>('markers').deleteMany({ generation: { $ne: firstOf(9) } });
    expect(await first(6)).toEqual(['a', 'b', 'c', 'f', 'e', 'd']);
  });

  test('a catch-up under way begins anew for a newer grant, and goes on beside an older one', async () => {
    await grant(5);
    await begin();
    const { epoch } = (await takeEpoch(store, ID, firstOf(5)))!;
    const progress = { delivery: 'delivery/acme/tickets/1/catch-up', pages: 1, records: 2, bytes: 300 };
    await moveMarker(store, { id: ID, epoch }, { position: 2, timestamp: new Date(), progress });
    await grant(2);
    await begin();
    expect(await list()).toMatchObject([{ position: 2, generation: firstOf(5), progress: { records: 2 } }]);
    await grant(7);
    await begin();
    const [anew, ...more] = await list();
    expect(more).toEqual([]);
    expect(anew).toMatchObject({ position: 0, generation: firstOf(7), total: 3 });
    expect(anew).not.toHaveProperty('progress');
  });

  test('one that is begun anew while it is counted is counted for the newer grant, and delivered only once it is', async () => {
    await grant(1, { from: { accounts: 0, contracts: 0, tickets: 2, settlements: 0 } });
    let met: Promise<unknown> | undefined;
    const meeting = rewire(store, async ({ collection, method, run }) => {
      if (collection === 'markers' && method === 'bulkWrite')
        await (met ??= grant(7).then(async () => {
          expect(await list()).toEqual([]);
          await begin();
        }));
      return run();
    });
    await begin(meeting);
    expect(await list()).toMatchObject([{ position: 0, generation: firstOf(7), total: 3 }]);
  });

  test('the catch-ups of one channel and type are no other’s, whatever their names begin with', async () => {
    const lanes = ['acm', 'acme', 'acme-2', 'acme2', 'bison'].flatMap((channel) =>
      (['accounts', 'contracts', 'settlements', 'tickets'] as const).map((entity_type) => ({
        channel,
        entity_type,
      })),
    );
    const catchUps = store.db.collection<CatchUp>('markers');
    await catchUps.insertMany(
      lanes.map(({ channel, entity_type }) => ({
        ...{ _id: `${markerId(channel, entity_type)}/42-1001`, channel, entity_type, account: '42-1001' },
        ...{ position: 0, until: 3, total: 3, generation: 0, epoch: 0 },
        ...{ timestamp: null, delivered_at: null },
      })),
    );
    expect(await listCatchUps(store, 'acme', 'contracts')).toMatchObject([
      { channel: 'acme', entity_type: 'contracts' },
    ]);
  });
});

describe('last-confirmed', () => {
  test('of all of a channel’s markers the one confirmed last counts; a channel without any is left out', async () => {
    const at = (hour: number) => new Date(Date.UTC(2026, 10, 24, hour));
    const confirmed = (channel: string, type: string, delivered_at: Date | null) =>
      ({ _id: `${channel}/${type}`, channel, delivered_at }) as Marker;
    await store.db
      .collection<Marker>('markers')
      .insertMany([
        confirmed('acme', 'accounts', at(7)),
        confirmed('acme', 'contracts', at(9)),
        confirmed('acme', 'tickets', at(8)),
        confirmed('bison', 'tickets', at(5)),
        confirmed('credit', 'tickets', null),
      ]);
    const channels = ['acme', 'bison', 'credit'].map((_id) => ({ _id }));
    expect(await lastConfirmed(store, channels)).toEqual(
      new Map([
        ['acme', at(9)],
        ['bison', at(5)],
      ]),
    );
  });
});

describe('list-backlogs', () => {
  // What the plans have found, and for how long it has waited: test/telemetry/gauges.test.ts.

  test('what is left of every account’s catch-up counts', async () => {
    const { channel } = await addTestChannel(store, 'acme', 'https://acme.example', {
      scope: 'subscribed',
      entity_types: ['tickets'],
    });
    const catchUp = (account: string, total: number) => ({
      ...{ channel: 'acme', entity_type: 'tickets', account, total },
      progress: { records: 1 },
    });
    await store.db.collection('markers').insertMany([catchUp('42-7', 5), catchUp('42-8', 3)]);
    expect(await listBacklogs(store, [channel])).toMatchObject([{ entity_type: 'tickets', records: 6 }]);
  });
});

describe('reset-channel-marker', () => {
  let times: Date[];

  const OTHER = { id: '7', name: 'Wheaton Elevator' };
  const push = (ids: string[], company?: typeof OTHER) =>
    pushRecords(store, { tickets: ids.map((id) => ({ id, account_id: '1001' })) }, company);

  // Positions: 42-T1 1, 42-T2 2, 7-T1 3, 42-T3 4; three pushes, so three times.
  beforeEach(async () => {
    await push(['T1', 'T2']);
    await push(['T1'], OTHER);
    await push(['T3']);
    const all = await records(store, 'tickets').find().sort({ position: 1 }).toArray();
    times = all.map(({ updated_at }) => updated_at);
  });

  test('a channel is reset by time; what it sends again is counted apart', async () => {
    const { channel } = await addTestChannel(store, 'acme', 'http://localhost', {
      page_size: 2,
      companies: ['42'],
    });
    const reset = (since: Date) => resetChannelMarker(store, channel, 'tickets', since);
    const count = (floor: number | undefined) =>
      countForReset(store, channel, 'tickets', floor, { withinMs: 2_000 });
    expect(await count(await floorOf(store, 'tickets', times[0]!))).toEqual({ records: 3, pages: 2 });
    expect((await readMarkers(store, 'acme')).size).toBe(0);
    expect(await reset(times[0]!)).toBe(0);
    expect((await readMarkers(store, 'acme')).get('tickets')).toMatchObject({ position: 0, generation: 1 });
    expect(await reset(new Date(Date.now() + 60_000))).toBeUndefined();
    expect(await count(undefined)).toEqual({ records: 0, pages: 0 });
    const inNoTime = await countForReset(store, channel, 'tickets', 0, { withinMs: 0 });
    expect(inNoTime).toEqual({ records: null, pages: null, at_least: expect.any(Number) });
    await limitPageSize(store, 'acme', 'tickets', 1); // the customer has refused larger ones
    const learnt = (await findChannel(store, 'acme'))!;
    const sentAgain = await countForReset(store, learnt, 'tickets', 0, { withinMs: 2_000 });
    expect(sentAgain).toEqual({ records: 3, pages: 3 });
  });

  test('markers are listed with what is still to come, also before the first run', async () => {
    await addTestChannel(store, 'temporal', 'http://localhost', {
      companies: ['42'],
      entity_types: ['tickets'],
    });
    const [tickets, ...others] = await listChannelMarkers(store, (await findChannel(store, 'temporal'))!);
    expect(others).toEqual([]);
    const none = { timestamp: null, delivered_at: null, last_reset: null };
    expect(tickets).toEqual({ entity_type: 'tickets', pending_records: 3, ...none });
    const timeout = jest.spyOn(AbortSignal, 'timeout').mockImplementation(overWithin(2_000));
    const [inNoTime] = await listChannelMarkers(store, (await findChannel(store, 'temporal'))!);
    timeout.mockRestore();
    expect(inNoTime).toMatchObject({ pending_records: 0, pending_at_least: true });
  });
});
