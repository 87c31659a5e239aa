import { accountsById, isEverybodysPhone } from '../../store/sharing/offered-accounts';
import { records } from '../../store/push/records';
import type { Store } from '../../store/store';
import { emptyStore } from '../setup/open-store';
import { pushRecords } from '../setup/push-records';

const PHONE = '7015550142';

let store: Store;
beforeEach(async () => {
  store = await emptyStore();
});

let pushed = 0;
const push = (names: string[], rest: object = {}) =>
  pushRecords(store, {
    accounts: names.map((name) => ({ id: `${++pushed}`, name, phones: [{ phone: PHONE }], ...rest })),
  });
/** Each writes the name in a way of its own. */
const WAYS = [
  'Meyer Farms',
  'MEYER FARMS',
  'Meyer  Farms',
  ' meyer farms ',
  'Ｍｅｙｅｒ Farms',
  'Mey\u00ader\u00a0Farms\u200e',
];
const farms = (count: number, of = 'Farm') => Array.from({ length: count }, (_, index) => `${of} ${index}`);

test('of 25 names, one of them written in several ways, the phone is still somebody’s; a 26th makes it everybody’s', async () => {
  await push([...WAYS, ...farms(24)]);
  expect(await isEverybodysPhone(store, PHONE)).toBe(false);
  await push(['Olson']);
  expect(await isEverybodysPhone(store, PHONE)).toBe(true);
});

test('the names of deleted accounts do not count', async () => {
  await push(farms(25));
  await push(farms(5, 'Closed'), { deleted_at: '2026-11-01T00:00:00Z' });
  expect(await isEverybodysPhone(store, PHONE)).toBe(false);
});

test('accounts of more ids than one query takes are all found, in alphabetical order', async () => {
  const names = farms(501).sort((a, b) => a.localeCompare(b));
  await push(names);
  const ids = (await records(store, 'accounts').find().toArray()).map(({ _id }) => _id);
  expect((await accountsById(store, ids)).map(({ name }) => name)).toEqual(names);
});
