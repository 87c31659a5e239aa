import { beginCatchUps, type CatchUp, endCatchUpsAt, listCatchUps } from '../../store/feed/catch-ups';
import { markerId, moveMarker, startMarker, takeEpoch } from '../../store/feed/markers';
import type { Store } from '../../store/store';
import { type Subscription, subscriptions } from '../../store/sharing/subscriptions';
import { rewire } from '../commit-order/rewire';
import { addTestChannel } from '../setup/add-test-channel';
import { emptyStore } from '../setup/open-store';
import { pushRecords } from '../setup/push-records';

// With deliveries beside it: test/sharing/interleavings.test.ts.

const TICKETS = ['T1', 'T2', 'T3'].map((id) => ({ id, account_id: '1001' }));
const ID = `${markerId('acme', 'tickets')}/42-1001`;

let store: Store;
beforeEach(async () => {
  store = await emptyStore();
  await addTestChannel(store, 'acme', 'https://acme.example', { scope: 'subscribed' });
  await pushRecords(store, { tickets: TICKETS });
  await startMarker(store, 'acme', 'tickets', 3);
});

/** A grant of account 1001 that no plan has seen, of its own partner_id. */
const grant = (version: number) =>
  subscriptions(store).insertOne({
    ...{ _id: `grant-${version}`, channel: 'acme', partner_id: `policy-${version}`, account: '42-1001' },
    ...{ state: 'granted', to_begin: ['tickets'], version },
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

describe('a reset', () => {
  const cut = () => endCatchUpsAt(store, 'acme', 'tickets', 1, 99);

  test('fences out who delivers a catch-up, which waits until it is counted anew', async () => {
    await grant(1);
    await begin();
    const { epoch } = (await takeEpoch(store, ID, firstOf(1)))!;
    await cut();
    const progress = { delivery: 'late', pages: 1, records: 3, bytes: 300 };
    const to = { position: 3, timestamp: new Date(), progress };
    expect(await moveMarker(store, { id: ID, epoch }, to)).toBe(false);
    expect(await takeEpoch(store, ID, firstOf(1))).toBeNull();
    expect(await list()).toEqual([]);
    await begin();
    expect(await list()).toMatchObject([{ position: 0, until: 1, total: 1 }]);
  });

  test('that comes while the catch-ups are counted is counted too', async () => {
    await grant(1);
    let met: Promise<void> | undefined;
    const meeting = rewire(store, async ({ collection, method, run }) => {
      if (collection === 'markers' && method === 'bulkWrite') await (met ??= cut());
      return run();
    });
    await begin(meeting);
    expect(await list()).toMatchObject([{ until: 1, total: 1 }]);
  });
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
      ...{ position: 0, until: 3, total: 3, begun: 0, generation: 0, epoch: 0 },
      ...{ timestamp: null, delivered_at: null },
    })),
  );
  expect(await listCatchUps(store, 'acme', 'contracts')).toMatchObject([
    { channel: 'acme', entity_type: 'contracts' },
  ]);
  await endCatchUpsAt(store, 'acme', 'contracts', 0, 99);
  const left = await catchUps.find({ account: { $exists: true }, total: 3 }).toArray();
  expect([left.length, await listCatchUps(store, 'acme', 'contracts')]).toEqual([lanes.length - 1, []]);
});
