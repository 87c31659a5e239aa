import { FINDINGS } from '../../domain/records/check/findings';
import { ENTITY_TYPES, type EntityType } from '../../domain/records/entity-types';
import type { PushedRecord } from '../../domain/records/validate-push';
import { checkCompany, type CompanyCheck } from '../../store/check/check-company';
import { writeElevators } from '../../store/push/elevators';
import type { Store } from '../../store/store';
import { generateCompany } from '../../tools/sample/generate-elevator-company';
import { emptyStore } from '../setup/open-store';
import { COMPANY, pushRecords } from '../setup/push-records';
import { slowTest } from '../setup/cases';

// Of what is stored without `created_at` it is the time of the push.
const NOW = Date.now();
const DAY_MS = 86_400_000;
const inDays = (days: number) => new Date(NOW + days * DAY_MS).toISOString();

let store: Store;
beforeEach(async () => {
  store = await emptyStore();
});

const push = (records: Partial<Record<EntityType, object[]>>, company = COMPANY) =>
  pushRecords(store, records, company);
const pushElevators = (...ids: string[]) =>
  store.client.withSession(
    (session) =>
    writeElevators(store, '42', ids.map((id) => ({ id, name: id }) as PushedRecord), session), // prettier-ignore
  );
const check = async (say?: (checked: CompanyCheck['checked']) => void) => {
  let last: CompanyCheck | undefined;
  for await (last of checkCompany(store, { _id: 'agris', company: COMPANY }, NOW)) say?.(last.checked);
  const { checked, met } = last!;
  return { checked, met: Object.fromEntries(met) };
};

const phones = [{ phone: '7015550142' }];
const account = (id: string, more: object = {}) => ({ id, name: `Secret ${id}`, phones, ...more });
const ticket = (id: string, more: object = {}) => ({ id, account_id: 'A', field_name: 'North', ...more });

slowTest('a company whose records are right has no finding', async () => {
  const company = generateCompany({ seed: 7, accounts: 30, tickets: 200 });
  await push({ accounts: company.accounts });
  await pushElevators(...company.elevators.map(({ id }) => id));
  for (const type of ['contracts', 'tickets', 'settlements'] as const) await push({ [type]: company[type] });
  const { checked, met } = await check();
  expect(checked).toEqual(Object.fromEntries(ENTITY_TYPES.map((type) => [type, company[type].length])));
  expect(met).toEqual({});
});

const ONE: Record<string, [type: EntityType, wrong: object, example?: string]> = {
  account_missing: ['tickets', ticket('x', { account_id: 'B' })],
  'account_missing in a list': [
    'tickets',
    ticket('x', { splits: [{ account_id: 'A' }, { account_id: 'B' }] }),
  ],
  'account_missing of a payee': ['settlements', { id: 'x', account_id: 'A', payees: [{ account_id: 'B' }] }],
  contract_missing: ['tickets', ticket('x', { applications: [{ contract_id: 'C' }] })],
  elevator_missing: ['contracts', { id: 'x', account_id: 'A', elevator_id: 'F' }],
  account_deleted: ['contracts', { id: 'x', account_id: 'gone' }],
  account_without_phone: ['accounts', account('x', { phones: [{ phone: '5550142' }] })],
  'account_without_phone at all': ['accounts', account('x', { phones: null })],
  ticket_without_account: ['tickets', { id: 'x', field_id: 'F-12', splits: [{ split_percent: 100 }] }],
  ticket_without_field: ['tickets', ticket('x', { field_name: null, fsa_farm_number: 4412 })],
  splits_not_100: ['tickets', ticket('x', { splits: [{ account_id: 'A', split_percent: 50 }] })],
  unit_missing: ['tickets', ticket('x', { net_weight: 52340 })],
  'unit_missing in a list': ['settlements', { id: 'x', account_id: 'A', lines: [{ amount: '5.00' }] }],
  'unit_missing beside another': ['contracts', { id: 'x', account_id: 'A', cash_price: 4, price_uom: 'bu' }],
  value_unknown: ['tickets', ticket('x', { direction: 'IN' })],
  field_misspelt: [
    'tickets',
    ticket('x', { net_wieght: 1 }),
    'tickets x: net_wieght is not a field: is it net_weight?',
  ],
  'field_misspelt in a list': [
    'tickets',
    ticket('x', { splits: [{ acount_id: 'A' }] }),
    'tickets x: splits[0].acount_id is not a field: is it account_id?',
  ],
  net_wrong: ['tickets', ticket('x', { gross_weight: 3, tare_weight: 1, net_weight: 1, weight_uom: 'lb' })],
  'date_odd to come': ['tickets', ticket('x', { weigh_in_at: inDays(1.1) })],
  'date_odd of a list': ['settlements', { id: 'x', account_id: 'A', payments: [{ paid_on: '1900-01-01' }] }],
};

test.each(Object.entries(ONE))('%s', async (name, [type, wrong, example = `${type} x`]) => {
  await push({ accounts: [account('A'), account('gone', { deleted: true })] });
  await pushElevators('E');
  const { id: _, ...content } = wrong as { id: string };
  await push({ [type]: [wrong, { ...content, id: 'y', deleted: true }] });
  await push({ [type]: [{ ...content, id: '1' }] }, { id: '421', name: 'Valley Grain' });
  expect((await check()).met).toEqual({ [name.split(' ')[0]!]: { count: 1, examples: [example] } });
});

test('what is right beside it has none', async () => {
  await push({ accounts: [account('A')], contracts: [{ id: 'C', account_id: 'A' }] });
  await pushElevators('E');
  const dates = { delivery_end: '2027-08-31', expires_on: '2027-08-31', contract_date: '1990-01-01' };
  await push({
    contracts: [{ id: 'C', account_id: 'A', elevator_id: 'E', ...dates }],
    tickets: [
      ticket('void', { field_name: null, status: 'void' }),
      ticket('sold', { field_name: null, direction: 'outbound' }),
      ticket('named', { field_name: null, fsa_field_number: 3 }),
      ticket('T', {
        elevator_id: 'E',
        applications: [{ contract_id: 'C', units: 0 }],
        units_uom: 'bu',
        weigh_in_at: inDays(0.9),
      }),
    ],
  });
  expect((await check()).met).toEqual({});
});

test('two tickets of one number at one elevator; not of two elevators, and not a void one', async () => {
  await push({ accounts: [account('A')] });
  await pushElevators('E', 'F');
  const numbered = (id: string, elevator_id: string, more: object = {}) =>
    ticket(id, { ticket_number: '000123', elevator_id, ...more });
  await push({ tickets: [numbered('1', 'E'), numbered('2', 'F'), numbered('3', 'E', { status: 'void' })] });
  expect((await check()).met).toEqual({});
  await push({ tickets: [numbered('4', 'E')] });
  expect((await check()).met).toEqual({ ticket_number_twice: { count: 1, examples: ['tickets 4'] } });
});

test('a phone on 26 accounts; 25 may be one farm’s', async () => {
  const some = (count: number, phone: string) =>
    Array.from({ length: count }, (_, at) => account(`${phone} ${at}`, { phones: [{ phone }] }));
  await push({ accounts: [...some(25, '7015550101'), ...some(26, '7015550102').reverse()] });
  await push({ accounts: some(26, '7015550101').slice(25) }, { id: '421', name: 'Valley Grain' });
  const { met } = await check();
  expect(met).toEqual({ phone_on_many_accounts: { count: 1, examples: ['accounts 7015550102 0'] } });
});

slowTest('all are counted, five are named, by ids alone; across batches', async () => {
  await push({
    accounts: Array.from({ length: 1_200 }, (_, at) => account(`A${1000 + at}`, { phones: [] })),
  });
  const said: number[] = [];
  const { met } = await check(({ accounts }) => said.push(accounts));
  const examples = [0, 1, 2, 3, 4].map((at) => `accounts A100${at}`);
  expect(met).toEqual({ account_without_phone: { count: 1_200, examples } });
  expect(said).toEqual([200, 400, 600, 800, 1_000, 1_200, 1_200]);
});

test('an ERP that has pushed nothing for longer than is usual; not the other one of its company', async () => {
  const at = (hours: number) => ({ silent_at: new Date(NOW + hours * 3_600_000) });
  const activity = store.db.collection<{ _id: string }>('push_activity');
  await activity.insertMany([
    { _id: 'agris', ...at(0) },
    { _id: 'scale', ...at(-1) },
  ]);
  expect((await check()).met).toEqual({ silent: { count: 1, examples: ['integration agris'] } });
});

test('every finding of the table is met here', () => {
  const here = [
    ...Object.keys(ONE).map((name) => name.split(' ')[0]),
    'ticket_number_twice',
    'phone_on_many_accounts',
    'silent',
  ];
  const names = FINDINGS.map(({ name }) => name as string);
  expect(new Set(here)).toEqual(new Set(names));
});
