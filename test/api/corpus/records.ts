import { INVALID_INPUT, type BadInput } from './bad-input';

type RecordType = 'elevators' | 'accounts' | 'contracts' | 'tickets' | 'settlements';

const GOOD: Record<RecordType, Record<string, unknown>> = {
  elevators: { id: '100', name: 'Casselton' },
  accounts: { id: '1001', name: 'Meyer Farms' },
  contracts: { id: 'C-1', account_id: '1001' },
  tickets: { id: 'T-1', account_id: '1001' },
  settlements: { id: 'S-1', account_id: '1001' },
};

const long = (length: number) => 'x'.repeat(length);
const NOT_TEXT = [7, true, {}, ['x']];
const NOT_ID = ['', long(129), 'a\nb', 'a\u0000', '\u007f', 'a\u0085', 1001, false, {}, ['1']];
const NOT_INSTANT = [
  '2026-10-01',
  '2026-10-01T00:00:00',
  '2026-10-01 00:00:00Z',
  '2026-10-01t00:00:00z',
  '2026-02-30T00:00:00Z',
  '2025-02-29T00:00:00Z',
  '1900-02-29T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-00-10T00:00:00Z',
  '2026-10-00T00:00:00Z',
  '2026-04-31T00:00:00Z',
  '2026-10-01T24:00:00Z',
  '2026-10-01T00:60:00Z',
  '2026-12-31T23:59:60Z',
  '2026-10-01T00:00:00+24:00',
  '2026-10-01T00:00:00+0500',
  '2026-10-01T00:00:00.Z',
  '2026-10-01T00:00:00.0123456789Z',
  '26-10-01T00:00:00Z',
  '+002026-10-01T00:00:00Z',
  '2026-10-01T00:00:00Z ',
  '2026-274T00:00:00Z',
  '2026-W40-4T00:00:00Z',
  '10/01/2026',
  'yesterday',
  1_790_000_000,
  true,
];
const NOT_DAY = [
  '2026-02-30',
  '2026-1-1',
  '20261001',
  '2026-10',
  '10/01/2026',
  'today',
  20261001,
  '2026-10-01T25:00:00Z',
];
const NOT_QUANTITY = [
  '1,234.50',
  '12 lb',
  '$12',
  '1,000',
  '1e3',
  '.5',
  '5.',
  '+5',
  ' 5',
  '5 ',
  '--5',
  '0x10',
  '5 bu',
  '1/2',
  '\u0665',
  long(31).replace(/x/g, '1'),
  true,
  {},
  [],
];

/** Invalid values of fields; the response names the field. */
const FIELDS: [RecordType, string, unknown[]][] = [
  ['elevators', 'id', [...NOT_ID, null]],
  ['elevators', 'name', ['', long(1_001), null, ...NOT_TEXT]],
  ['elevators', 'city', [long(201), 7]],
  ['elevators', 'state', [long(65), []]],
  ['elevators', 'zip_code', [58_012, long(33)]],
  [
    'elevators',
    'phone',
    ['701-555-0142', '+', '+0123456789', '+1', '+1234567890123456', '+1 701 CALL', 7_015_550_142],
  ],
  ['elevators', 'email', ['x', '@x.example', 'x@', 'x@localhost', 'a b@x.example', 'a@b@x.example']],
  [
    'elevators',
    'website',
    ['x.example', 'ftp://x.example', 'javascript:alert(1)', 'http://', 'data:text/html,x', 7],
  ],
  ['elevators', 'cash_bids_hidden', ['true', 1, 0, 'no', {}]],
  ['elevators', 'version', ['1', '1.0', 'v1.0.0', '1.0.0.0', '1.0.x']],
  ['elevators', 'deleted_at', NOT_INSTANT.slice(0, 6)],
  ['accounts', 'id', [...NOT_ID, null]],
  ['accounts', 'name', ['', long(1_001), null, ...NOT_TEXT]],
  ['accounts', 'phones', ['7015550142', {}, 7_015_550_142, true]],
  ['accounts', 'created_at', NOT_INSTANT],
  ['accounts', 'deleted', ['true', 'yes', 1, 0, {}]],
  ['elevators', 'deleted', ['Y', []]],
  ['accounts', 'deleted_at', [true, 0, 'deleted', '2026-10-01']],
  ['contracts', 'id', [null, '', 1]],
  ['contracts', 'account_id', [...NOT_ID, null]],
  ['contracts', 'direction', [...NOT_TEXT, ['purchase'], long(1_001)]],
  ['contracts', 'contract_type', [1, false]],
  ['contracts', 'status', [0, true, {}]],
  ['contracts', 'contract_date', NOT_DAY],
  ['contracts', 'signed', ['yes', 1]],
  ['contracts', 'crop_year', [26, 99_999, '26', '2026/27', 2026.5, true]],
  ['contracts', 'quantity', NOT_QUANTITY],
  ['contracts', 'currency', ['usd', 'US', 'USDD', '$', 840]],
  ['contracts', 'pricing_lines', [{}, 'x', 1]],
  ['contracts', 'amendments', [{ changed_field: 'x' }, true]],
  ['tickets', 'id', [null, ' \u0000', 7]],
  ['tickets', 'direction', [1, ['inbound']]],
  ['tickets', 'status', [true, long(1_001)]],
  ['tickets', 'weight_uom', [1, ['lb']]],
  ['tickets', 'elevator_id', [7, long(129)]],
  ['tickets', 'gross_weight', NOT_QUANTITY.slice(0, 8)],
  ['tickets', 'weigh_in_at', NOT_INSTANT.slice(0, 8)],
  ['tickets', 'driver_on', ['on', 1]],
  ['tickets', 'grade_factors', [{}, 'M 15.2']],
  ['tickets', 'disposition', [{}, 7]],
  ['tickets', 'fsa_farm_number', [4412.5, long(65), true]],
  ['tickets', 'replaces_ticket_id', [7, 'a\n']],
  ['settlements', 'account_id', [null, 7]],
  ['settlements', 'settlement_date', ['2026-02-30', 7]],
  ['settlements', 'status', [1, []]],
  ['settlements', 'kind', [{ kind: 'gift' }, 1]],
  ['settlements', 'payees', [{}, 'x']],
  ['settlements', 'net_amount', ['$5.00', '1e400', {}]],
  ['settlements', 'payments', [7, 'x']],
];

/** Lists inside a record: the response names the item and its field. */
const LINES: [RecordType, string, unknown[], string][] = [
  ['accounts', 'phones', [null], '[0]'],
  ['accounts', 'phones', ['7015550142'], '[0]'],
  ['accounts', 'phones', [{}], '[0].phone'],
  ['accounts', 'phones', [{ phone: '+7015550142' }], '[0].phone'],
  ['accounts', 'phones', [{ phone: '701-555-0142 x3' }], '[0].phone'],
  ['accounts', 'phones', [{ phone: '701-555-0142 ext. 4' }], '[0].phone'],
  ['accounts', 'phones', [{ phone: '701-555-0142 / 701-555-0143' }], '[0].phone'],
  ['accounts', 'phones', [{ phone: '555-0142' }], '[0].phone'],
  ['accounts', 'phones', [{ phone: 7_015_550_142 }], '[0].phone'],
  ['accounts', 'phones', [{ phone: '', kind: 'home' }], '[0].phone'],
  ['accounts', 'phones', [{ phone: '1'.repeat(21) }], '[0].phone'],
  ['accounts', 'phones', [{ phone: '1' }, { phone: null, kind: 'home' }], '[1].phone'],
  ['contracts', 'pricing_lines', [{ quantity: 'many' }], '[0].quantity'],
  ['contracts', 'pricing_lines', [{ delivery_start: '2026-02-30' }], '[0].delivery_start'],
  ['contracts', 'amendments', [{ changed_on: 'May' }], '[0].changed_on'],
  ['tickets', 'applications', [{ applied_at: '2026-10-01' }], '[0].applied_at'],
  ['tickets', 'applications', [{ contract_id: 7 }], '[0].contract_id'],
  ['settlements', 'lines', [{ ticket_id: 7 }], '[0].ticket_id'],
  ['settlements', 'lines', [{ amount: 'x' }], '[0].amount'],
  ['tickets', 'splits', [{ account_id: '1', disposition: ['priced'] }], '[0].disposition'],
  ['settlements', 'adjustments', [{ class: 7 }], '[0].class'],
  ['settlements', 'payments', [{ paid_on: 7 }], '[0].paid_on'],
  ['settlements', 'payees', [{ account_id: 7 }], '[0].account_id'],
];

const MISSING: [RecordType, Record<string, unknown>, string[]][] = [
  ['elevators', {}, ['id', 'name']],
  ['elevators', { id: '1' }, ['name']],
  ['accounts', {}, ['id', 'name']],
  ['accounts', { name: 'Meyer' }, ['id']],
  ['accounts', { ID: '1', Name: 'Meyer' }, ['id', 'name']],
  ['contracts', {}, ['id', 'account_id']],
  ['contracts', { id: '1' }, ['account_id']],
  ['tickets', {}, ['id', 'account_id']],
  ['tickets', { id: '1' }, ['account_id']],
  ['tickets', { id: '1', splits: [] }, ['account_id']],
  ['tickets', { id: '1', account_id: null, splits: null }, ['account_id']],
  ['settlements', {}, ['id', 'account_id']],
  ['settlements', { id: '1' }, ['account_id']],
];

function record(type: RecordType, name: string, given: unknown, fields: string[]): BadInput {
  const place = `data[0].update-${type}.${type}[0]`;
  const body = { data: [{ [`update-${type}`]: { [type]: [given] } }] };
  return INVALID_INPUT(`${type}: ${name}`, body, ...fields.map((field) => place + field));
}

const shown = (value: unknown) => JSON.stringify(value).slice(0, 40);

export const RECORD_CASES: BadInput[] = [
  ...FIELDS.flatMap(([type, field, values]) =>
    values.map((value) =>
      record(type, `${field} ${shown(value)}`, { ...GOOD[type], [field]: value }, [`.${field}`]),
    ),
  ),
  ...LINES.map(([type, list, lines, at]) =>
    record(type, `${list} ${shown(lines)}`, { ...GOOD[type], [list]: lines }, [`.${list}${at}`]),
  ),
  ...MISSING.map(([type, given, fields]) =>
    record(
      type,
      `only ${shown(given)}`,
      given,
      fields.map((field) => `.${field}`),
    ),
  ),
  record('elevators', 'all wrong at once', { id: 1, name: 2, phone: 3, email: 4, version: 5 }, [
    '.id',
    '.name',
    '.phone',
    '.email',
    '.version',
  ]),
];
