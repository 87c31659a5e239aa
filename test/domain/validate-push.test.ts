import fc from 'fast-check';
import { validatePush } from '../../domain/records/validate-push';
import type { ValidationMessages } from '../../domain/records/validation-messages';
import { MOST_CPU_MS, withCpuTime } from '../api/cpu-time';
import { played, scaledTest } from '../setup/cases';

const push = (command: string, ...records: unknown[]) => ({
  data: [{ [`update-${command}`]: { [command]: records } }],
});

function messagesOf(body: unknown): ValidationMessages {
  const result = validatePush(body);
  return result.ok ? {} : result.messages;
}

const pathsOf = (body: unknown) => Object.keys(messagesOf(body)).sort();

function pushOf(body: unknown) {
  const result = validatePush(body);
  if (!result.ok) throw new Error(JSON.stringify(result.messages));
  return result.push;
}

const elevator = {
  id: 'E1',
  name: 'Casselton',
  address_line_1: '120 Front St',
  address_line_2: '',
  city: 'Casselton',
  state: 'ND',
  zip_code: '58012',
  phone: '+17015550142',
  fax: '',
  email: 'casselton@prairie.example',
  website: 'https://prairie.example/casselton',
  cash_bids_hidden: false,
  push_notifications_hidden: true,
  deleted_at: null,
  version: '1.0.0',
};
const account = { id: '1001', name: 'Meyer Farms', phones: [{ phone: '7015550142' }] };
const ticket = { id: 'T1', account_id: '1001' };
const contract = { id: 'C1', account_id: '1001' };
const settlement = { id: 'S1', account_id: '1001' };

describe('the envelope', () => {
  const at = 'data[0].update-elevators.elevators';
  test.each<[string, unknown, string[]]>([
    ['no object', null, ['data']],
    ['a list', [], ['data']],
    ['no data', { commands: [] }, ['data']],
    ['data no list', { data: {} }, ['data']],
    ['no command', { data: [] }, ['data']],
    ['101 commands', { data: Array(101).fill({ 'update-tickets': { tickets: [] } }) }, ['data']],
    ['5,001 records', push('tickets', ...Array(5001).fill(ticket)), ['data']],
    [
      '5,001 records in two commands',
      { data: [...push('tickets', ...Array(5000).fill(ticket)).data, ...push('accounts', account).data] },
      ['data'],
    ],
    ['a command no object', { data: ['update-tickets'] }, ['data[0]']],
    ['a command of no key', { data: [{}] }, ['data[0]']],
    ['a command of two keys', { data: [{ 'update-tickets': {}, 'update-accounts': {} }] }, ['data[0]']],
    ['an unknown command', { data: [{ 'update-farms': {} }] }, ['data[0]']],
    ['a command named constructor', { data: [{ constructor: {} }] }, ['data[0]']],
    ['a payload no object', { data: [{ 'update-elevators': [] }] }, [at]],
    ['a payload null', { data: [{ 'update-elevators': null }] }, [at]],
    ['a payload without its list', { data: [{ 'update-elevators': { tickets: [] } }] }, [at]],
    ['a payload whose list is none', { data: [{ 'update-elevators': { elevators: {} } }] }, [at]],
    ['records no objects', push('elevators', elevator, 5, null, []), [`${at}[1]`, `${at}[2]`, `${at}[3]`]],
  ])('refused: %s', (_name, body, paths) => expect(pathsOf(body)).toEqual(paths));

  test.each<[string, unknown]>([
    ['an empty list', push('tickets')],
    ['unknown properties', { data: [{ 'update-tickets': { tickets: [], sent_by: 'x' } }], batch: 7 }],
    ['5,000 records', push('tickets', ...Array(5000).fill(ticket))],
    ['100 commands', { data: Array(100).fill({ 'update-tickets': { tickets: [ticket] } }) }],
  ])('accepted: %s', (_name, body) => expect(messagesOf(body)).toEqual({}));
});

test.each<[string, unknown, string, string]>([
  ['no object', null, 'data', 'is required'],
  ['a list', [{ data: [] }], 'data', 'is required'],
  ['data no list', { data: {} }, 'data', 'must be a list of commands'],
  ['no command', { data: [] }, 'data', 'must hold at least one command'],
  ['101 commands', { data: Array(101).fill({}) }, 'data', 'must hold at most 100 commands'],
  [
    '5,001 records',
    push('tickets', ...Array(5001).fill(ticket)),
    'data',
    'must hold at most 5000 records in all',
  ],
  [
    'a command of two keys',
    { data: [{ 'update-tickets': {}, 'update-accounts': {} }] },
    'data[0]',
    'must be an object with exactly one key: update-elevators, update-accounts, update-contracts, update-tickets, update-settlements',
  ],
  ['no records', { data: [{ 'update-tickets': {} }] }, 'data[0].update-tickets.tickets', 'is required'],
  [
    'records in a list',
    { data: [{ 'update-tickets': [ticket] }] },
    'data[0].update-tickets.tickets',
    'is required',
  ],
  [
    'records no list',
    { data: [{ 'update-tickets': { tickets: ticket } }] },
    'data[0].update-tickets.tickets',
    'must be a list',
  ],
])('says what is wrong with the envelope: %s', (_, body, path, message) =>
  expect(messagesOf(body)).toEqual({ [path]: [message] }),
);

describe('the word of an ERP that a type is complete', () => {
  const said = (type: string, word: unknown) => ({
    data: [{ [`update-${type}`]: { [type]: [], complete_through: word } }],
  });
  const dayIn = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

  test.each([
    '2026-02-30',
    '2026-11-3',
    '2026-11-30T00:00:00Z',
    '1999-12-31',
    20261130,
    true,
    ['2026-11-30'],
    dayIn(3),
  ])('%p is none', (word) => {
    expect(pathsOf(said('tickets', word))).toEqual(['data[0].update-tickets.complete_through']);
  });

  test('elevators have none, as they are not fed', () => {
    expect(pathsOf(said('elevators', '2026-11-30'))).toEqual(['data[0].update-elevators.complete_through']);
  });

  test('the last one of a type counts; null and an empty text say nothing', () => {
    const data = [dayIn(-2), dayIn(0), null, ''].flatMap((word) => said('tickets', word).data);
    expect(pushOf({ data: [...data, ...said('accounts', null).data] }).words).toEqual({ tickets: dayIn(0) });
  });
});

describe('records', () => {
  test.each<[string, object, string, string]>([
    ['elevators', { ...elevator, name: undefined }, 'name', 'is required'],
    ['elevators', { ...elevator, name: null }, 'name', 'is required'],
    [
      'elevators',
      { ...elevator, id: 7 },
      'id',
      'must be text of 1 to 128 characters without control characters',
    ],
    [
      'elevators',
      { ...elevator, phone: '7015550142' },
      'phone',
      'must be an international phone number with a leading + or empty',
    ],
    [
      'elevators',
      { ...elevator, website: 'javascript:alert(1)' },
      'website',
      'must be an http or https URL or empty',
    ],
    ['elevators', { ...elevator, website: 'http://' }, 'website', 'must be an http or https URL or empty'],
    ['elevators', { ...elevator, email: 'casselton' }, 'email', 'must be an e-mail address or empty'],
    ['elevators', { ...elevator, cash_bids_hidden: 'false' }, 'cash_bids_hidden', 'must be true or false'],
    ['elevators', { ...elevator, version: 'one' }, 'version', 'must be a semantic version such as "1.0.0"'],
    ['accounts', { id: '1' }, 'name', 'is required'],
    [
      'accounts',
      { ...account, id: '' },
      'id',
      'must be text of 1 to 128 characters without control characters',
    ],
    [
      'accounts',
      { ...account, id: 'x'.repeat(129) },
      'id',
      'must be text of 1 to 128 characters without control characters',
    ],
    [
      'accounts',
      { ...account, id: 'a\u0007' },
      'id',
      'must be text of 1 to 128 characters without control characters',
    ],
    ['accounts', { ...account, phones: {} }, 'phones', 'must be a list'],
    ['accounts', { ...account, phones: ['7015550142'] }, 'phones[0]', 'must be an object'],
    [
      'accounts',
      { ...account, phones: [{ phone: '701-555-0142 x3' }] },
      'phones[0].phone',
      'must be a phone number of ten digits, or of eleven with a leading 1, such as "(701) 555-0142", without an extension',
    ],
    [
      'accounts',
      { ...account, deleted_at: '2016-02-30T00:00:00Z' },
      'deleted_at',
      'must be an RFC 3339 date-time with an offset such as "2026-11-21T08:00:00Z"',
    ],
    ['tickets', { id: 'T1' }, 'account_id', 'is required, unless splits name the accounts'],
    [
      'tickets',
      { id: 'T1', account_id: null, splits: [] },
      'account_id',
      'is required, unless splits name the accounts',
    ],
    [
      'tickets',
      { ...ticket, direction: ['inbound'] },
      'direction',
      'must be text of at most 1000 characters such as inbound, outbound, redelivered',
    ],
    [
      'tickets',
      { ...ticket, gross_weight: '79,840' },
      'gross_weight',
      'must be a number or a decimal string such as "42143.10"',
    ],
    [
      'tickets',
      { ...ticket, net_units: true },
      'net_units',
      'must be a number or a decimal string such as "42143.10"',
    ],
    ['tickets', { ...ticket, driver_on: 'yes' }, 'driver_on', 'must be true or false'],
    ['tickets', { ...ticket, crop_year: 26 }, 'crop_year', 'must be a year of four digits such as 2026'],
    [
      'tickets',
      { ...ticket, weigh_in_at: '2026-10-03 14:05' },
      'weigh_in_at',
      'must be an RFC 3339 date-time with an offset such as "2026-11-21T08:00:00Z"',
    ],
    [
      'tickets',
      { ...ticket, elevator_id: 5 },
      'elevator_id',
      'must be text of 1 to 128 characters without control characters',
    ],
    [
      'tickets',
      { ...ticket, splits: [{}, { split_percent: '50 %' }] },
      'splits[1].split_percent',
      'must be a number or a decimal string such as "42143.10"',
    ],
    ['contracts', { id: 'C1' }, 'account_id', 'is required'],
    [
      'contracts',
      { ...contract, contract_date: '2026-02-29' },
      'contract_date',
      'must be a calendar date such as "2026-11-21" or an RFC 3339 date-time',
    ],
    [
      'contracts',
      { ...contract, currency: 'usd' },
      'currency',
      'must be an ISO 4217 code of three capitals such as "USD"',
    ],
    [
      'settlements',
      { ...settlement, account_id: '' },
      'account_id',
      'must be text of 1 to 128 characters without control characters',
    ],
    [
      'settlements',
      { ...settlement, adjustments: [{ class: 7 }] },
      'adjustments[0].class',
      'must be text of at most 1000 characters such as premium, discount, checkoff, grain_tax, storage, drying, freight, service_charge, interest, advance, lien',
    ],
  ])('%s %#: the message is at %3$s', (command, record, field, message) => {
    expect(messagesOf(push(command, record))).toEqual({
      [`data[0].update-${command}.${command}[0].${field}`]: [message],
    });
  });

  test.each<[string, object]>([
    ['elevators', elevator],
    [
      'elevators',
      { id: 'E1', name: 'N', phone: '', website: '', email: '', city: null, unknown: { a: [1] } },
    ],
    ['elevators', { id: 'E1', name: 'N', phone: '+1 701-555-0142', website: 'HTTP://prairie.example' }],
    ['accounts', { ...account, id: '🌽'.repeat(128), created_at: '2026-01-01T00:00:00.123456+05:30' }],
    ['accounts', { id: '1', name: 'A', phones: null, constructor: 1, $where: 2, 'a.b': 3 }],
    [
      'tickets',
      { id: 'T1', splits: [{ account_id: 'a', split_percent: '66.67' }, { split_percent: 33.33 }] },
    ],
    [
      'tickets',
      { ...ticket, gross_weight: 79840, net_weight: '-42143.10', crop_year: '2026', grade_factors: null },
    ],
    ['tickets', { ...ticket, grade_factors: [{ code: 'ODOR', result: 'musty' }], fsa_farm_number: 4412 }],
    ['contracts', { ...contract, expires_on: '2026-12-31', contract_date: '2026-10-03T00:00:00-05:00' }],
    ['contracts', { ...contract, amendments: [{ changed_field: 'quantity', new_value: 5000 }] }],
    [
      'settlements',
      { ...settlement, lines: [{ ticket_id: 'T1', amount: '3842.96' }], payees: [{ account_id: 'x' }] },
    ],
  ])('accepted: %s %j', (command, record) => expect(messagesOf(push(command, record))).toEqual({}));

  test('all fields of all records at once', () => {
    const body = {
      data: [
        ...push('accounts', account, { id: 5 }).data,
        ...push('tickets', { id: 'T1', status: 5, splits: [null] }).data,
      ],
    };
    expect(pathsOf(body)).toEqual([
      'data[0].update-accounts.accounts[1].id',
      'data[0].update-accounts.accounts[1].name',
      'data[1].update-tickets.tickets[0].splits[0]',
      'data[1].update-tickets.tickets[0].status',
    ]);
  });
});

test('at most 100 messages, whether of many records, one record or many commands', () => {
  const count = (body: unknown) => Object.values(messagesOf(body)).flat().length;
  expect(count(push('tickets', ...Array(5000).fill({ status: 1 })))).toBe(100);
  expect(count(push('tickets', { ...ticket, splits: Array(1_000_000).fill(1) }))).toBe(100);
  expect(count({ data: Array(100).fill({ 'update-tickets': { tickets: [1, 2] } }) })).toBe(100);
});

test('nothing is looked at once there are 100 messages', () => {
  const trapped = (length: number) => {
    const list = Array<unknown>(length).fill(1);
    return Object.defineProperty(list, 150, {
      get() {
        throw new Error('looked too far');
      },
    });
  };
  expect(() => messagesOf(push('tickets', { ...ticket, splits: trapped(200) }))).not.toThrow();
  expect(() => messagesOf({ data: [{ 'update-tickets': { tickets: trapped(200) } }] })).not.toThrow();
});

test('the last of equal ids wins and stands where it stood, even across commands', () => {
  const body = {
    data: [
      ...push('tickets', { ...ticket, grade: '1' }, { ...ticket, id: 'T2' }).data,
      ...push('accounts', account, { ...account, id: 'T1' }).data,
      ...push('tickets', { ...ticket, grade: '2' }).data,
      ...push('elevators', { id: 'E', name: 'old' }, { id: 'E', name: 'new' }).data,
    ],
  };
  const { records, elevators } = pushOf(body);
  expect(records.tickets).toEqual([
    { ...ticket, id: 'T2' },
    { ...ticket, grade: '2' },
  ]);
  expect(records.accounts.map(({ id }) => id)).toEqual(['1001', 'T1']);
  expect(elevators).toEqual([{ id: 'E', name: 'new' }]);
  expect(Object.keys(records)).toEqual(['accounts', 'contracts', 'tickets', 'settlements']);
});

test.each<[string, Record<string, unknown>[], Record<string, unknown>]>([
  ['phones', [{ phones: [{ phone: '1' }] }, {}], { phones: [{ phone: '1' }] }],
  ['that there are no phones', [{ phones: [{ phone: '1' }] }, { phones: null }, {}], { phones: null }],
  [
    'the last phones',
    [{ phones: [{ phone: '1' }] }, { phones: [{ phone: '2' }] }, {}],
    { phones: [{ phone: '2' }] },
  ],
  ['nothing that comes later', [{}, { phones: [] }], { phones: [] }],
  ['created_at', [{ created_at: '2020-01-01T00:00:00Z' }, {}], { created_at: '2020-01-01T00:00:00Z' }],
  [
    'created_at, which null leaves as it is',
    [{ created_at: '2020-01-01T00:00:00Z' }, { created_at: null }],
    { created_at: '2020-01-01T00:00:00Z' },
  ],
  [
    'nothing else',
    [{ grade: '1', updated_at: '2020-01-01T00:00:00Z', deleted_at: '2020-01-01T00:00:00Z' }, {}],
    {},
  ],
])('a later record of the same id keeps what a push of its own would keep: %s', (_, sent, kept) => {
  const accounts = sent.map((more) => ({ id: '1001', name: 'Meyer Farms', ...more }));
  const inTwoCommands = [push('accounts', accounts[0]), push('accounts', ...accounts.slice(1))];
  for (const body of [push('accounts', ...accounts), { data: inTwoCommands.flatMap(({ data }) => data) }]) {
    expect(pushOf(body).records.accounts).toEqual([{ id: '1001', name: 'Meyer Farms', ...kept }]);
  }
});

test('a later elevator of the same id leaves nothing of the one before', () => {
  const before = { id: 'E', name: 'old', created_at: '2020-01-01T00:00:00Z', phones: [] };
  expect(pushOf(push('elevators', before, { id: 'E', name: 'new' })).elevators).toEqual([
    { id: 'E', name: 'new' },
  ]);
});

test('a ticket keeps no phones: they are a field of the ERP there', () => {
  const pushed = push('tickets', { ...ticket, phones: [] }, ticket);
  expect(pushOf(pushed).records.tickets).toEqual([ticket]);
});

test('many deletions of one long record hold up nobody', async () => {
  const keys = Array.from({ length: 10_000 }, (_, index) => [`field_${index}`, index]);
  const long = { id: 'A', name: 'x', ...(Object.fromEntries(keys) as object) };
  const deletion = { id: 'A', deleted: true };
  const body = push('accounts', long, ...Array.from({ length: 300 }, () => ({ ...deletion })));
  const { result, cpuMs } = await withCpuTime(async () => pushOf(body));
  expect(result.records.accounts).toEqual([{ ...long, deleted: 'anew' }]);
  expect(cpuMs).toBeLessThan(MOST_CPU_MS);
});

scaledTest('any JSON at any place: an answer, never an exception, and no value in a message', () => {
  const secret = fc.constant('raw-value-7015550142');
  const anything = fc.oneof(fc.jsonValue(), secret, fc.array(secret), fc.dictionary(fc.string(), secret));
  const field = fc.constantFrom(
    'id',
    'name',
    'account_id',
    'splits',
    'phones',
    'lines',
    'status',
    'net_units',
    'created_at',
  );
  const record = fc.oneof(anything, fc.dictionary(field, anything));
  const command = fc.constantFrom('elevators', 'accounts', 'contracts', 'tickets', 'settlements');
  const body = fc.oneof(
    anything,
    fc.record({ data: fc.oneof(anything, fc.array(anything)) }),
    fc.tuple(command, fc.array(record)).map(([name, records]) => push(name, ...records)),
  );
  fc.assert(
    fc.property(body, (value) => {
      const messages = messagesOf(value);
      expect(JSON.stringify(messages)).not.toContain('raw-value');
      expect(Object.keys(messages).every((path) => path.startsWith('data'))).toBe(true);
    }),
    played(250, 2000),
  );
});
