import { COMMANDS } from '../../domain/records/commands';
import { renderRecord } from '../../domain/records/render-record';
import { type PushedRecord, recordsOf, validatePush } from '../../domain/records/validate-push';
import { pushWarnings } from '../../domain/records/push-warnings';
import { isEntityType } from '../../domain/records/entity-types';
import type { RecordType } from '../../domain/records/commands';

const GOOD: Record<RecordType, PushedRecord> = {
  elevators: { id: 'E', name: 'Casselton' },
  accounts: { id: 'A', name: 'Meyer Farms' },
  contracts: { id: 'C', account_id: 'A' },
  tickets: { id: 'T', splits: [{ account_id: 'A' }] },
  settlements: { id: 'S', account_id: 'A' },
};
const MAY_BE_EMPTY = ['address_line_2', 'fax'];

const bodyOf = (type: RecordType, ...records: object[]) => ({
  data: [{ [`update-${type}`]: { [type]: structuredClone(records) } }],
});

/** The records as they are stored. @throws what is wrong with them */
function stored(type: RecordType, ...records: object[]): readonly PushedRecord[] {
  const checked = validatePush(bodyOf(type, ...records));
  if (!checked.ok) throw new Error(JSON.stringify(checked.messages));
  return recordsOf(checked.push, type);
}

const optionalFields = (type: RecordType, within?: string): string[] => {
  const { schema } = COMMANDS.find(({ recordType }) => recordType === type)!;
  const { properties, required = [] } = within === undefined ? schema : schema.properties[within]!['items'];
  return Object.keys(properties).filter((key) => !required.includes(key) && key !== 'new_value');
};
const fill = (keys: string[], value: unknown) => Object.fromEntries(keys.map((key) => [key, value]));

describe.each(Object.entries(GOOD) as [RecordType, PushedRecord][])('%s', (type, good) => {
  const fields = optionalFields(type).filter((key) => !(key in good) && key !== 'phones');

  test('with null in every field that is not required are as without them', () =>
    expect(stored(type, { ...fill(fields, null), ...good })).toEqual([good]));

  test('with "" in these fields as well, but for what may be an empty text', () => {
    const kept = fields.filter((key) => MAY_BE_EMPTY.includes(key));
    expect(kept).toEqual(type === 'elevators' ? MAY_BE_EMPTY : []);
    expect(stored(type, { ...fill(fields, ''), ...good })).toEqual([{ ...good, ...fill(kept, '') }]);
  });

  test('render to the same bytes and the same hash, and have no warning', () => {
    if (!isEntityType(type)) return;
    const company = { id: '42', name: 'Prairie Co-op' };
    const render = (record: object) => renderRecord(type, stored(type, record)[0]!, company);
    for (const empty of [null, '']) {
      expect(render({ ...fill(fields, empty), ...good })).toEqual(render(good));
    }
    const body = bodyOf(type, { ...fill(fields, ''), ...good });
    validatePush(body);
    expect(pushWarnings(body).count).toBe(0);
  });

  test('keep empty values of fields that no schema knows', () => {
    const own = { ...good, colour: null, note: '', bins: [null, ''], deep: { status: null } };
    expect(stored(type, own)).toEqual([own]);
  });
});

test.each<[RecordType, string]>([
  ['contracts', 'pricing_lines'],
  ['contracts', 'amendments'],
  ['tickets', 'grade_factors'],
  ['tickets', 'splits'],
  ['tickets', 'applications'],
  ['settlements', 'lines'],
  ['settlements', 'payees'],
  ['settlements', 'adjustments'],
  ['settlements', 'payments'],
])('items of %s.%s leave out what is empty, and an item with nothing else is left out', (type, list) => {
  const items = [{ own: 'x' }, fill(optionalFields(type, list), ''), fill(optionalFields(type, list), null)];
  const withOwn = items.map((item) => ({ ...item, colour: null, own: 'x' }));
  const base = { ...GOOD[type], account_id: 'A' };
  expect(stored(type, { ...base, [list]: items })).toEqual([{ ...base, [list]: [{ own: 'x' }] }]);
  const left = { colour: null, own: 'x' };
  expect(stored(type, { ...base, [list]: withOwn })).toEqual([{ ...base, [list]: [left, left, left] }]);
});

test('an amendment to nothing is one: its new value is kept', () => {
  const amendments = [
    { changed_field: 'grade', new_value: '' },
    { changed_field: 'uom', new_value: null },
  ];
  expect(stored('contracts', { ...GOOD.contracts, amendments })).toEqual([{ ...GOOD.contracts, amendments }]);
});

describe('phones', () => {
  const phonesOf = (phones: unknown) => stored('accounts', { ...GOOD.accounts, phones })[0]!['phones'];

  test.each([null, ''])('%j says that there are none, which is not the same as leaving them out', (phones) =>
    expect(phonesOf(phones)).toBeNull(),
  );

  test('an empty number in the list is dropped', () => {
    expect(phonesOf([{ phone: '' }, { phone: '7015550142' }, { phone: null }])).toEqual([
      { phone: '7015550142' },
    ]);
    expect(phonesOf([{ phone: '' }])).toEqual([]);
    expect(() => phonesOf([{ phone: '', kind: 'home' }])).toThrow('phones[0].phone');
    expect(() => phonesOf([{}])).toThrow('phones[0].phone');
  });
});

describe('a phone of an account', () => {
  const phoneOf = (phone: unknown) =>
    (
      stored('accounts', { ...GOOD.accounts, phones: [{ phone, label: 'x12' }] })[0]!['phones'] as object[]
    )[0];

  test.each([
    ['7015550142', '7015550142'],
    ['17015550142', '17015550142'],
    ['+17015550142', '17015550142'],
    ['701-555-0142', '7015550142'],
    ['(701) 555-0142', '7015550142'],
    ['701.555.0142', '7015550142'],
    ['701/555-0142', '7015550142'],
    ['701 555 0142', '7015550142'],
    ['+1 (701) 555-0142', '17015550142'],
    ['1-701-555-0142', '17015550142'],
    ['tel:+1-701-555-0142', '17015550142'],
    [' 701\u00a0555\u20110142 ', '7015550142'],
    ['\u202a701-555-0142\u202c', '7015550142'],
    // Nobody's, and taken as it always was: a warning says so.
    ['5550142', '5550142'],
    ['4917112345678', '4917112345678'],
  ])('%j is kept as %j', (phone, digits) => expect(phoneOf(phone)).toEqual({ phone: digits, label: 'x12' }));

  test.each([
    '701-555-0142 x3',
    '701-555-0142 ext. 4',
    '7015550142x12',
    '701-555-0142#3',
    '701-555-0142;ext=3',
    '701-555-0142, 3',
    '701-555-0142 / 701-555-0143',
    '555-0142',
    '2-701-555-0142',
    '+7015550142',
    '+49 171 12345678',
    '701-555-GRAIN',
    '7'.repeat(21),
    7015550142,
  ])('%j is refused by its path', (phone) =>
    expect(() => phoneOf(phone)).toThrow(
      /^\{"data\[0\]\.update-accounts\.accounts\[0\]\.phones\[0\]\.phone":\["must be a phone number of ten digits.*without an extension/,
    ),
  );
});

test.each(['1,234.50', ' 12', '12 ', '12 lb', '$12', '1e3', '.5', '12,5', '١٢'])(
  'a number is a number or decimal text: %j is refused, and the message says what fits',
  (net_weight) => {
    const fits = 'must be a number or a decimal string such as \\"42143.10\\"';
    expect(() => stored('tickets', { ...GOOD.tickets, net_weight })).toThrow(
      `{"data[0].update-tickets.tickets[0].net_weight":["${fits}"]}`,
    );
  },
);

test('the specification’s own account: what only the feed can say is not stored', () => {
  const account = {
    id: '42-1001',
    remote_id: '1001',
    name: 'Meyer Farms',
    company: { id: '42', name: 'Prairie Co-op' },
    phones: [{ phone: '7015550142' }],
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-02T00:00:00.000Z',
    deleted_at: null,
  };
  const { remote_id: _, company: __, deleted_at: ___, ...rest } = account;
  expect(stored('accounts', account)).toEqual([rest]);
  const empty = { id: '1', name: 'N', remote_id: '', company: null, phones: null, created_at: '' };
  expect(stored('accounts', empty)).toEqual([{ id: '1', name: 'N', phones: null }]);
  for (const other of [{ company: { id: '42', boss: 'x' } }, { company: 7 }, { remote_id: {} }]) {
    expect(() => stored('accounts', { ...GOOD.accounts, ...other })).toThrow('is a name that the feed gives');
  }
});

test('a record that is deleted needs its id alone', () => {
  for (const type of Object.keys(GOOD) as RecordType[]) {
    const bare = { id: 'x', deleted: true };
    expect(stored(type, bare)).toEqual([bare]);
    expect(stored(type, { ...bare, deleted_at: null })).toEqual([bare]);
    for (const wrong of [
      { deleted: true },
      { id: 7, deleted: true },
      { ...bare, deleted_at: 'x' },
      { id: 'x', deleted: false },
      { ...bare, note: 'x' },
    ])
      // prettier-ignore
      expect(() => stored(type, wrong)).toThrow(`data[0].update-${type}.${type}[0].`);
  }
});

test('required fields are not left out', () => {
  expect(() => stored('accounts', { id: 'A', name: '' })).toThrow('accounts[0].name');
  expect(() => stored('contracts', { id: 'C', account_id: null })).toThrow('contracts[0].account_id');
  expect(() => stored('tickets', { id: 'T', account_id: '', splits: '' })).toThrow('account_id');
});
