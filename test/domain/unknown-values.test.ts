import { COMMANDS } from '../../domain/records/commands';
import { sayWarning, unknownValues } from '../../domain/records/record-warnings';
import { validatePush } from '../../domain/records/validate-push';
import { walkDocument } from '../openapi/read-document';

const GOOD = { id: '1', account_id: '1001' };

test.each<[string, Record<string, unknown>]>([
  ['tickets', { direction: 'inbound', status: 'complete', disposition: 'grain_bank', weight_uom: 'lb' }],
  ['tickets', { direction: null, status: undefined, splits: null, county: 'Cass', grade: 'US No. 2' }],
  ['tickets', { splits: [{ disposition: 'priced' }, {}, { disposition: null }] }],
  ['contracts', { contract_type: 'minimum_priced', status: 'unfilled', uom: 'bu', price_uom: 'cwt' }],
  [
    'settlements',
    { kind: 'advance', adjustments: [{ class: 'lien' }], payments: [{ status: 'any', method: 'x' }] },
  ],
  ['accounts', { status: 'whatever', direction: 'up' }],
  ['elevators', { status: 'whatever' }],
])('known: %s %j', (type, record) => {
  expect(unknownValues(type as 'tickets', { ...GOOD, ...record })).toEqual([]);
});

test.each<[string, Record<string, unknown>, string[]]>([
  ['tickets', { direction: 'sideways' }, ['direction is none of inbound, outbound, redelivered']],
  [
    'tickets',
    { direction: 'Inbound', status: '' },
    ['direction is none of inbound, outbound, redelivered', 'status is none of in_yard, complete, void'],
  ],
  ['tickets', { weight_uom: 'stone' }, ['weight_uom is none of bu, lb, cwt, ton, kg, mt']],
  [
    'contracts',
    { contract_type: 'constructor' },
    [expect.stringMatching(/^contract_type is none of priced, /)],
  ],
  [
    'settlements',
    { status: 'open', kind: 'gift' },
    [
      'status is none of draft, posted, paid, reversed, void',
      'kind is none of settlement, advance, deferred, installment',
    ],
  ],
  // The first of a list tells enough: a list may have a million.
  [
    'tickets',
    { splits: [{ disposition: 'priced' }, { disposition: 'sold' }, { disposition: 'given' }] },
    [expect.stringMatching(/^splits\[1\]\.disposition is none of priced, /)],
  ],
  [
    'settlements',
    { adjustments: [{ class: 'bribe' }] },
    [expect.stringMatching(/^adjustments\[0\]\.class is none of premium, /)],
  ],
])('not known, and said: %s %j', (type, record, warnings) => {
  const given = { ...GOOD, ...record };
  expect(unknownValues(type as 'tickets', given).map(sayWarning)).toEqual(warnings);
  expect(validatePush({ data: [{ [`update-${type}`]: { [type]: [given] } }] })).toMatchObject({ ok: true });
});

test('no schema has a closed list: what the specification leaves open, an ERP may fill', () => {
  const closed = [...walkDocument(COMMANDS.map(({ schema }) => schema))].filter(
    ({ node }) => node.enum || node.const,
  );
  expect(closed).toEqual([]);
});
