import { MongoServerError } from 'mongodb';
import type { EntityType } from '../../domain/entity-types';
import {
  countReleased,
  listReleased,
  listSetAside,
  releaseForResend,
  releaseSetAside,
  setAside,
} from '../../store/feed/set-aside';
import type { Store } from '../../store/store';
import { DUPLICATE_KEY } from '../../store/unavailable';
import { rewire } from '../commit-order/rewire';
import { emptyStore } from '../setup/open-store';

// With deliveries beside it: test/commit-order/set-aside.test.ts.

let store: Store;
beforeEach(async () => {
  store = await emptyStore();
});

const refuse = (channel: string, entity_type: EntityType, record: string, position = 1, through = store) =>
  setAside(through, {
    ...{ channel, entity_type, record, position, failure: 'refused', status: 422 },
    ...{ answer: `refused at ${position}`, delivery: 'delivery/x' },
  });

const REFUSED = [
  ['acme', 'accounts', '42-1'],
  ['acme', 'tickets', '42-1'],
  ['acme', 'tickets', '42-2'],
  ['acme', 'tickets', '42-3'],
  ['bison', 'tickets', '42-1'],
] as const;
const refuseAll = async () => {
  for (const [channel, type, record] of REFUSED) await refuse(channel, type, record);
};

const released = async (channel: string, type?: EntityType, after?: string) =>
  (await listReleased(store, channel, type, after)).map(
    ({ entity_type, record }) => `${entity_type} ${record}`,
  );
const counts = () =>
  Promise.all(
    (['accounts', 'tickets'] as const).flatMap((entity_type) =>
      ['acme', 'bison'].map((channel) => countReleased(store, { channel, entity_type })),
    ),
  );

test('those that are named are released, and no other waits to be sent again', async () => {
  await refuseAll();
  const records = ['42-1', '42-3'];
  expect(await releaseSetAside(store, 'acme', { entity_type: 'tickets', records })).toBe(2);
  expect(await released('acme')).toEqual(['tickets 42-1', 'tickets 42-3']);
  expect([await released('bison'), await counts()]).toEqual([[], [0, 0, 2, 0]]);
});

test('an empty list names none: nothing is released', async () => {
  await refuseAll();
  expect(await releaseSetAside(store, 'acme', { records: [] })).toBe(0);
  expect(await releaseSetAside(store, 'acme', { entity_type: 'tickets', records: [] })).toBe(0);
  expect([await released('acme'), await counts()]).toEqual([[], [0, 0, 0, 0]]);
});

test('all of a channel are released, those of each type for its own deliveries, and none of another channel', async () => {
  await refuseAll();
  expect(await releaseSetAside(store, 'acme', {})).toBe(4);
  expect(await released('acme', 'accounts')).toEqual(['accounts 42-1']);
  expect(await released('acme', 'tickets')).toEqual(['tickets 42-1', 'tickets 42-2', 'tickets 42-3']);
  expect([await released('bison'), await counts()]).toEqual([[], [1, 0, 3, 0]]);
});

test('what is asked for again of one channel is sent to no other', async () => {
  const lane = { channel: 'bison', entity_type: 'tickets' } as const;
  await releaseForResend(store, lane, [{ id: '42-9', position: 9 }]);
  expect([await released('acme'), await released('bison')]).toEqual([[], ['tickets 42-9']]);
});

test('what is released is listed on from behind the last one that was listed', async () => {
  await refuseAll();
  await releaseSetAside(store, 'acme', {});
  expect(await released('acme', 'tickets', '42-1')).toEqual(['tickets 42-2', 'tickets 42-3']);
  expect(await released('acme', 'tickets', '42-3')).toEqual([]);
});

test('refusals are listed of one type where one is asked for', async () => {
  await refuseAll();
  const listed = await listSetAside(store, 'acme', { entity_type: 'accounts' });
  expect(listed).toMatchObject([{ entity_type: 'accounts', record: '42-1' }]);
});

test('of two refusals of a record at once the newer one stays, also where it comes to be written second', async () => {
  let older: Promise<Date> | undefined;
  // The server lets one of two inserts fail.
  const second = rewire(store, async ({ method, run }) => {
    if (method !== 'replaceOne' || older) return run();
    older = refuse('acme', 'tickets', '42-1', 5);
    await older;
    throw new MongoServerError({ message: 'duplicate key', code: DUPLICATE_KEY });
  });
  await refuse('acme', 'tickets', '42-1', 7, second);
  expect(await listSetAside(store, 'acme')).toMatchObject([{ position: 7, answer: 'refused at 7' }]);
});
