import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { RecordToRender } from '../../domain/records/record-to-render';
import type { PushedRecord } from '../../domain/records/validate-push';
import { pingStore } from '../../store/connect';
import { findElevators } from '../../store/push/elevators';
import * as pushLocks from '../../store/push/push-locks';
import { storePush } from '../../store/push/store-push';
import { timeLimit } from '../../store/push/time-limit';
import type { ValidPush } from '../../store/push/valid-push';
import { findRecord } from '../../store/records/records';
import type { Store } from '../../store/store';
import { WriteTimeout } from '../../store/unavailable';
import { databaseUriOf, emptyStore } from '../setup/open-store';
import { connectStoreAt } from '../setup/open-store-at';
import { COMPANY, MANY } from '../setup/push-records';
import { startStrictWire } from '../strict/strict-wire';

jest.mock('../../store/push/push-locks', () => ({
  __esModule: true,
  ...jest.requireActual<object>('../../store/push/push-locks'),
}));

let store: Store;
let stalled: Store;

/** Two processes: the commands of one that take the counter are late. */
async function open(lateMs: Record<string, number>): Promise<void> {
  store = await emptyStore();
  jest.spyOn(pushLocks, 'acquirePushLocks').mockResolvedValue(() => {});
  const uri = new URL(databaseUriOf(store));
  const wire = await startStrictWire({ upstream: uri.host, moreMs: lateMs });
  uri.host = wire.address;
  stalled = await connectStoreAt(String(uri));
  await pingStore(stalled);
}
afterEach(() => jest.restoreAllMocks());

function push(note: string, elevators: object[] = [], more: object[] = []): ValidPush {
  const pushed = elevators.length > 0 ? [] : [{ id: 'T1', account_id: '1001', note }, ...more];
  const tickets = pushed.map((ticket) => new RecordToRender('tickets', ticket as PushedRecord, COMPANY));
  return {
    receiptId: `agris/${note}`,
    bodyHash: createHash('sha256').update(note).digest(),
    companyId: COMPANY.id,
    records: { accounts: [], contracts: [], tickets, settlements: [] },
    elevators: elevators as PushedRecord[],
    warnings: { count: 0, messages: {} },
  };
}

const noteOf = async () =>
  JSON.parse((await findRecord(store, 'tickets', '42-T1'))!.wire.toString()).ticket.note as string;

/** An older push through the process that stalls, and a newer one through the other once the time of the older is over. */
async function storeBoth(of: (note: string) => ValidPush, ms: number): Promise<string> {
  const older = storePush(stalled, of('older'), timeLimit(stalled, ms)).then(
    () => 'stored',
    (error: Error) => error.name,
  );
  await setTimeout(ms + 50);
  await storePush(store, of('newer'));
  return older;
}

test('a push whose first write reaches the database after its time does not land on a newer one', async () => {
  await open({ findAndModify: 600 });
  expect([await storeBoth(push, 100), await noteOf()]).toEqual(['WriteTimeout', 'newer']);
});

test('nor where the machine was suspended, so that its clocks stood still', async () => {
  await open({ findAndModify: 600 });
  await setTimeout(1_000 - (Date.now() % 1_000)); // the newer one is of the second in which the time of the older is over
  jest.spyOn(performance, 'now').mockReturnValue(performance.now());
  jest.spyOn(Date, 'now').mockReturnValue(Date.now());
  expect([await storeBoth(push, 100), await noteOf()]).toEqual(['WriteTimeout', 'newer']);
});

test('nor an elevator: whoever is late with it holds up the newer one', async () => {
  await open({ find: 500 });
  const of = (name: string) => push(name, [{ id: 'E1', name }]);
  await storeBoth(of, 700);
  const [elevator] = await findElevators(store);
  expect(JSON.parse(elevator!.json.toString())).toMatchObject({ name: 'newer' });
});

test('one whose time is over leaves no receipt, and those beside it are stored', async () => {
  await open({ findAndModify: 300 });
  const first = storePush(stalled, push('first'));
  const late = expect(storePush(stalled, push('late'), timeLimit(stalled, 400))).rejects.toThrow(
    WriteTimeout,
  );
  const last = storePush(stalled, push('last'));
  await Promise.all([first, late, last]);
  const receipts = store.db.collection<{ _id: string }>('push_receipts');
  expect(await receipts.distinct('_id')).toEqual(['agris/first', 'agris/last']);
  expect(await noteOf()).toBe('last');
});

test('nor on one that repeats what is stored, where it has its turn in time and is told that it failed', async () => {
  await open({ commitTransaction: 2_000 });
  await storePush(store, push('kept', [], MANY));
  const older = storePush(stalled, push('older'), timeLimit(stalled, 800)); // a busy machine has its turn in time, too
  await setTimeout(1_000);
  const newer = { ...push('kept', [], MANY), receiptId: 'agris/kept again' };
  expect(await storePush(store, newer)).toMatchObject({ stored: true, changed: 1 });
  expect(await older).toMatchObject({ stored: true, changed: 1 });
  expect(await noteOf()).toBe('kept');
});
