import { arithmeticWarnings, sayWarning } from '../../domain/records/record-warnings';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { checkout } from '../../tools/local/checkout';
import type { RecordType } from '../../domain/records/commands';

const share = (split_percent: unknown) => ({ split_percent });
const amount = (value: unknown) => ({ amount: value });

test.each<[string, RecordType, Record<string, unknown>]>([
  ['weights', 'tickets', { gross_weight: 79840, tare_weight: '27120', net_weight: 52720 }],
  ['weights as floats', 'tickets', { gross_weight: 30.3, tare_weight: 10.1, net_weight: 20.2 }],
  ['a weight missing', 'tickets', { gross_weight: 79840, net_weight: 52720 }],
  ['units', 'tickets', { gross_units: '941.43', shrink_units: 13.18, dockage_units: 0, net_units: '928.25' }],
  ['units nothing was taken off', 'tickets', { gross_units: 5, net_units: '5.00', shrink_units: null }],
  [
    'units rounded one by one',
    'settlements',
    { gross_units: '941.435', shrink_units: 13.18, net_units: '928.25' },
  ],
  ['two splits', 'tickets', { splits: [share('66.67'), share(33.33)] }],
  ['three splits', 'tickets', { splits: [share(33.33), share(33.33), share(33.33)] }],
  ['splits in units', 'tickets', { splits: [{ net_units: 5 }, share(50)] }],
  [
    'a settlement',
    'settlements',
    { lines: [amount('100.10'), amount(200.2)], adjustments: [amount(-0.3)], net_amount: 300 },
  ],
  [
    'tax withheld',
    'settlements',
    { lines: [amount('3831.98')], gross_amount: '3831.98', tax_amount: '919.68', net_amount: '2912.30' },
  ],
  [
    'totals without lines',
    'settlements',
    { gross_amount: '3831.98', adjustments_amount: '-9.19', tax_amount: '0.00', net_amount: '3822.79' },
  ],
  ['totals of which the deductions are not told', 'settlements', { gross_amount: 100, net_amount: 95 }],
  ['an advance without lines', 'settlements', { net_amount: 300 }],
  ['an advance on its lines', 'settlements', { kind: 'advance', lines: [amount(1000)], net_amount: 700 }],
  [
    'one of three installments',
    'settlements',
    { kind: 'installment', lines: [amount(900)], gross_amount: 900, net_amount: 300 },
  ],
  [
    'a tax that the adjustments have taken off',
    'settlements',
    {
      lines: [amount(1000)],
      adjustments: [{ class: 'grain_tax', ...amount(-9.5) }],
      tax_amount: '9.50',
      net_amount: '990.50',
    },
  ],
  [
    'a grain tax, and another that is withheld',
    'settlements',
    {
      lines: [amount(1000)],
      adjustments: [{ class: 'grain_tax', ...amount(-9.5) }],
      tax_amount: 240,
      net_amount: '750.50',
    },
  ],
  ['a line without amount', 'settlements', { lines: [{}], net_amount: 300 }],
  ['an adjustment without amount', 'settlements', { lines: [amount(1)], adjustments: [{}], net_amount: 300 }],
  ['a net amount missing', 'settlements', { lines: [amount(1)] }],
  [
    'three amounts rounded',
    'settlements',
    { lines: [amount(1.015)], adjustments: [amount(0)], net_amount: 1 },
  ],
  [
    'units with shrink, and dockage that is not told',
    'tickets',
    { gross_units: '970.36', shrink_units: 1, net_units: '965.51' },
  ],
  ['gross units alone', 'tickets', { gross_units: 5 }],
  ['net units alone', 'tickets', { net_units: 5 }],
  ['an exponent no scale shows', 'settlements', { lines: [amount('1e-300')], net_amount: 300 }],
  ['more digits than anybody reads', 'settlements', { lines: [amount('1'.repeat(31))], net_amount: 300 }],
  ['more decimals, too', 'settlements', { lines: [amount(`0.${'1'.repeat(31)}`)], net_amount: 300 }],
  ['a weight in a list', 'tickets', { gross_weight: [5], tare_weight: 1, net_weight: 1 }],
  ['an account', 'accounts', { gross_weight: 1, tare_weight: 1, net_weight: 5 }],
])('adds up: %s', (_name, type, record) => expect(arithmeticWarnings(type, record)).toEqual([]));

/** What files of the field hold: their sums are as ERPs make them. */
function recordsOfField(): [string, RecordType, Record<string, unknown>][] {
  const folders = ['layouts', 'cases'].map((name) => path.join(checkout, 'test/field', name));
  const files = folders.flatMap((folder) => readdirSync(folder).map((name) => path.join(folder, name)));
  return files
    .filter((file) => file.endsWith('.expected.json'))
    .flatMap((file) => {
      const { type, records = [] } = JSON.parse(readFileSync(file, 'utf8')) as Expected;
      return records.map((record): [string, RecordType, Record<string, unknown>] => [
        `${path.basename(file, '.expected.json')} ${String(record['id'])}`,
        type,
        record,
      ]);
    });
}
interface Expected {
  type: RecordType;
  records?: Record<string, unknown>[];
}

test('each record of the files of the field adds up', () => {
  const warned = recordsOfField().flatMap(([name, type, record]) =>
    arithmeticWarnings(type, record).map((warning) => `${name}: ${sayWarning(warning)}`),
  );
  expect(warned).toEqual([]);
  expect(recordsOfField().filter(([, type]) => type === 'settlements').length).toBeGreaterThan(5);
});

test.each<[RecordType, Record<string, unknown>, string]>([
  [
    'tickets',
    { gross_weight: 79840, tare_weight: 27120, net_weight: 52700 },
    'net_weight is not gross_weight - tare_weight (off by -20)',
  ],
  [
    'tickets',
    { gross_units: '941.43', shrink_units: '13.18', net_units: '928.30' },
    'net_units is not gross_units - shrink_units - dockage_units (off by 0.05)',
  ],
  [
    'tickets',
    { gross_units: '970.36', shrink_units: 1, dockage_units: 0, net_units: '965.51' },
    'net_units is not gross_units - shrink_units - dockage_units (off by -3.85)',
  ],
  ['tickets', { splits: [share(60), share('39.9')] }, 'splits do not sum to 100 percent (off by -0.1)'],
  [
    'settlements',
    { lines: [amount('100.10')], adjustments: [amount('-1.00')], net_amount: '100.10' },
    'net_amount is not the sum of lines and adjustments (off by 1)',
  ],
  [
    'settlements',
    { lines: [amount('100.00')], tax_amount: '24.00', net_amount: '100.00' },
    'net_amount is not the sum of lines and adjustments less tax_amount (off by 24)',
  ],
  [
    'settlements',
    { gross_amount: '100.00', adjustments_amount: '-1.00', net_amount: '100.00' },
    'net_amount is not the sum of lines and adjustments (off by 1)',
  ],
  [
    'settlements',
    { lines: [amount(1e21)], adjustments: [], net_amount: 0 },
    'net_amount is not the sum of lines and adjustments (off by -1000000000000000000000)',
  ],
  ['tickets', { splits: [share(1e-7), share(99)] }, 'splits do not sum to 100 percent (off by -0.9999999)'],
])('told: %s %j', (type, record, warning) =>
  expect(arithmeticWarnings(type, record).map(sayWarning)).toEqual([warning]),
);
