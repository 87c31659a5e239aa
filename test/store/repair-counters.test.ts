import { ENTITY_TYPES } from '../../domain/entity-types';
import type { Store } from '../../store/store';
import { readCeiling } from '../../store/push/counters';
import { knownPositions } from '../../store/feed/known-positions';
import { startMarker } from '../../store/feed/markers';
import { prepareStore } from '../../store/schema/prepare-store';
import { raiseCounters } from '../../store/push/raise-counters';
import { findRecord } from '../../store/push/records';
import { emptyStore } from '../setup/open-store';
import { pushRecords } from '../setup/push-records';

let store: Store;

beforeEach(async () => {
  store = await emptyStore();
});

const tickets = (...ids: string[]) => ({ tickets: ids.map((id) => ({ id, account_id: '1001' })) });
const setCounter = (position: number, at = new Date(0)) =>
  store.db.collection('counters').updateOne({ _id: 'tickets' as never }, { $set: { position, at } });
const start = () => prepareStore(store, { production: true });

test('counters of an older moment than the markers: no process starts, the repair raises them, nothing is skipped', async () => {
  await pushRecords(store, tickets('1', '2', '3'));
  await startMarker(store, 'acme', 'tickets', 3);
  await setCounter(1);
  await store.db.collection('tickets').deleteMany({ position: { $gt: 1 } });

  await expect(start()).rejects.toMatchObject({
    name: 'StoreMismatch',
    message: expect.stringMatching(/tickets at 1, but 3 is known.*; run `gdx repair counters`/),
  });
  const { counters, receiptsForgotten } = await raiseCounters(store);
  expect(counters).toContainEqual({ entity_type: 'tickets', counter: 1, highest: 3 });
  expect(receiptsForgotten).toBe(1);
  await start();

  await pushRecords(store, tickets('2'));
  expect((await findRecord(store, 'tickets', '42-2'))?.position).toBe(4);
});

test('counters of an older moment than the records: the time is raised too, so that it goes on rising', async () => {
  await pushRecords(store, tickets('1', '2'));
  const ahead = new Date(Date.now() + 3_600_000);
  await store.db.collection('tickets').updateOne({ position: 2 }, { $set: { updated_at: ahead } });
  await setCounter(0);
  await expect(start()).rejects.toThrow('tickets at 0, but 2 is known');
  await raiseCounters(store);
  await pushRecords(store, tickets('3'));
  const pushed = await findRecord(store, 'tickets', '42-3');
  expect(pushed?.position).toBe(3);
  expect(pushed?.updated_at.getTime()).toBeGreaterThan(ahead.getTime());
});

test('the end of a catch-up counts, and a counter that is gone', async () => {
  await store.db
    .collection('markers')
    .insertOne({ channel: 'acme', entity_type: 'accounts', position: 0, until: 9 });
  await store.db.collection('counters').deleteOne({ _id: 'accounts' as never });
  await expect(start()).rejects.toThrow('accounts at 0, but 9 is known');
  await raiseCounters(store);
  expect(await readCeiling(store, 'accounts')).toBe(9);
});

test('a sound store is left as it is', async () => {
  await pushRecords(store, tickets('1'));
  expect(await raiseCounters(store)).toMatchObject({ receiptsForgotten: 0 });
  expect(await store.db.collection('push_receipts').countDocuments()).toBe(1);
  expect(await knownPositions(store)).toEqual(
    ENTITY_TYPES.map((entity_type) => ({
      entity_type,
      counter: entity_type === 'tickets' ? 1 : 0,
      highest: entity_type === 'tickets' ? 1 : 0,
    })),
  );
});
