import type { Mapping } from '../../client/push/mapping-schema';
import path from 'node:path';
import { showRecords } from '../../client/push/show-records';
import { temporaryFolder } from '../setup/temporary-folder';
import { type MadeCell, makeWorkbook, STYLES, zipOf } from './make-workbook';
import { readMade, written } from './read-made';
import { slowTest } from '../setup/cases';

// Workbooks as people keep them: docs/decisions/0036.

const folder = temporaryFolder('workbook');

const MAPPING: Mapping = {
  type: 'tickets',
  time_zone: 'America/Chicago',
  record: {
    id: 'Ticket',
    account_id: 'Account',
    net_weight: 'Net',
    weigh_in_at: ['At', { from: ['Day', 'Time'] }],
  },
};
const HEADING = ['Ticket', 'Account', 'Net', 'At', 'Day', 'Time', 'Note'];
const styled = (value: number, style: keyof typeof STYLES) => ({
  xml: `<v>${value}</v>`,
  style: STYLES[style],
});

type Rows = readonly (readonly MadeCell[] | undefined)[];
const read = (content: Buffer, changes: Partial<Mapping> = {}) =>
  readMade(written(folder, 'a.xlsx', content), { ...MAPPING, ...changes });
const ofRows = (rows: Rows, more: object = {}, changes: Partial<Mapping> = {}) =>
  read(makeWorkbook([{ name: 'Loads', rows: [HEADING, ...rows], ...more }]), changes);

slowTest(
  'numbers are read as they are stored, and as they are shown only where that decides: leading zeros, percent',
  async () => {
    const rows = [
      [120418000713, styled(418, 'six'), styled(0.5, 'percent')],
      ['000417', 5, 934.2857142857143],
    ];
    const { records, says } = await ofRows(rows);
    expect(says).toBe('');
    expect(records).toEqual([
      { id: '120418000713', account_id: '000418', net_weight: 50 },
      { id: '000417', account_id: '5', net_weight: 934.2857142857143 },
    ]);
  },
);

test('a condition compares with the cell as it is shown', async () => {
  const rows = [
    ['1', '7', styled(1, 'percent'), styled(46300, 'day')],
    ['2', '7', styled(0.155, 'percent'), styled(46300, 'day')],
    ['3', '7', 100, styled(46301, 'day')],
  ];
  const of = async (condition: unknown) => {
    const record = { id: 'Ticket', account_id: 'Account', net_weight: 'Net' };
    return (await ofRows(rows, {}, { rows: condition, record })).records.map(({ id }) => id);
  };
  expect(await of({ Net: '100%' })).toEqual(['1']);
  expect(await of({ Net: '15.5%' })).toEqual(['2']);
  expect(await of({ Net: '100' })).toEqual(['3']);
  expect(await of({ At: '2026-10-05' })).toEqual(['1', '2']);
  const { data } = await showRecords(path.join(folder, 'a.xlsx'), { ...MAPPING, record: { id: 'Ticket', account_id: 'Account', net_weight: 'Net' } }, 2); // prettier-ignore
  expect(data).toMatchObject([{ cells: { Net: '100%' } }, { cells: { Net: '15.5%' } }]);
});

test.each([
  [false, 46300, '2026-10-05T08:04:00-05:00'],
  [true, 44838, '2026-10-05T08:04:00-05:00'],
])(
  'dates and times are numbers, in the system that the workbook names (1904: %s)',
  async (is1904, day, expected) => {
    const time = 484 / 1440;
    const rows: Rows = [
      HEADING,
      ['1', '7', 1, styled(day + time, 'both')],
      ['2', '7', 1, undefined, styled(day, 'day'), styled(time, 'time')],
      ['3', '7', 1, day + time], // without a format
      ['4', '7', 1, undefined, styled(day, 'day'), '8:04 AM'],
      ['5', '7', 1, undefined, '10/05/2026', styled(time, 'time')],
    ];
    const { records, says } = await read(makeWorkbook([{ name: 'L', rows }], { is1904 }), {
      dates: ['MM/DD/YYYY hh:mm A'],
    });
    expect(says).toBe('');
    const instants = records.map(({ weigh_in_at }) => Date.parse(String(weigh_in_at)));
    expect(instants).toEqual(instants.map(() => Date.parse(expected)));
  },
);

test('a formula counts by its stored result, and is refused by its cell where there is none', async () => {
  const formula = (inside: string) => ({ xml: `<f>E6-F6</f>${inside}` });
  const good = await ofRows([['1', '7', formula('<v>52</v>'), undefined, undefined, undefined, formula('')]]);
  expect(good).toMatchObject({ says: '', records: [{ net_weight: 52 }] });
  const bad = await ofRows([['1', '7', formula('')]]);
  expect(bad.says).toMatch(
    /^`Net`: 1 of 1 values has no stored result, first line 2: `=E6-F6 in C2` \(column 3\)/,
  );
});

test('an error is refused by its cell, unless it is a missing value', async () => {
  const rows = [['1', '7', { xml: '<c r="C2" t="e"><v>#N/A</v></c>' }]];
  expect((await ofRows(rows)).says).toMatch(/is an error of the workbook, in C2, first line 2: `#N\/A`/);
  expect(await ofRows(rows, {}, { missing_values: ['#N/A'] })).toMatchObject({
    says: '',
    records: [{ id: '1' }],
  });
});

test('a merged cell counts for all of it, a thousand empty rows for nothing, hidden rows as any', async () => {
  const rows: Rows = [
    ['1', '7', 1, undefined, styled(46300, 'day'), styled(0.5, 'time')],
    [undefined, undefined, 2],
    ...Array.from({ length: 1_000 }, () => [undefined, { xml: '' }]),
    ['2', '7', 3],
  ];
  const found = await ofRows(rows, { merges: ['E2:E1003', 'A2:A3', 'B2:B3'], hiddenRows: [3] }, { gather: true, record: { id: 'Ticket', account_id: 'Account', splits: { each: 'rows', item: { split_percent: 'Net' } } } }); // prettier-ignore
  expect(found).toMatchObject({
    says: '',
    records: [
      { id: '1', account_id: '7', splits: [{ split_percent: 1 }, { split_percent: 2 }] },
      { id: '2', splits: [{ split_percent: 3 }] },
    ],
    notes: [
      '1 hidden row of the sheet counts like any other',
      'not in the mapping, and left out: At, Day, Time, Note',
    ],
  });
});

test('shared texts, texts in pieces, other prefixes and true or false', async () => {
  const shared = { xml: '<c r="A2" t="s"><v>1</v></c>' };
  const pieces = {
    xml: '<c r="B2" t="inlineStr"><is><r><t>Mey</t></r><r><t>er</t></r><rPh><t>x</t></rPh></is></c>',
  };
  const sheet = [HEADING, [shared, pieces, 5, undefined, undefined, undefined, true]];
  const record = { id: 'Ticket', account_id: 'Account', driver_on: 'Note' };
  const content = makeWorkbook([{ name: 'L', rows: sheet }], { strings: ['no', 'T-1'] });
  expect((await read(content, { record })).records).toEqual([
    { id: 'T-1', account_id: 'Meyer', driver_on: true },
  ]);
});

test('what XML cannot hold is read from its code in texts of each kind, a line end of Windows as one', async () => {
  const shared = { xml: '<c r="E2" t="s"><v>0</v></c>' };
  const inline = '1_x000D_\n2';
  const formula = { xml: '<c r="G2" t="str"><f>F2</f><v>1_x000d_&#10;2_x005F_x000D_</v></c>' };
  const sheet = [HEADING, ['1', '7', 5, undefined, shared, inline, formula]];
  const record = { id: 'Ticket', account_id: 'Account', a: 'Day', b: 'Time', c: 'Note' };
  const content = makeWorkbook([{ name: 'L', rows: sheet }], { strings: ['Meyer_x000D_\nFarms'] });
  expect(await read(content, { record, own_fields: ['a', 'b', 'c'] })).toMatchObject({
    says: '',
    records: [{ a: 'Meyer\nFarms', b: '1\n2', c: '1\n2_x000D_' }],
  });
});

test.each([1e12, 1e300, -1e6])('a date that no calendar has is refused by its cell: %d', async (serial) => {
  const found = await ofRows([['1', '7', 1, styled(serial, 'both')]]);
  expect(found.says).toMatch(/^`At`: 1 of 1 values is not a date, first line 2/);
});

test('of several sheets the mapping says one; by itself the only one that is shown', async () => {
  const [one, other] = [
    { name: 'One', rows: [HEADING, ['1', '7', 1]] },
    { name: 'Other', rows: [HEADING, ['2', '7', 1]] },
  ];
  expect((await read(makeWorkbook([one, other]))).says).toMatch(
    /several sheets: say one of "One", "Other" by "sheet_name" in the "dialect", or for a draft by --sheet/,
  );
  expect((await read(makeWorkbook([one, { ...other, state: 'hidden' }]))).records).toMatchObject([
    { id: '1' },
  ]);
  expect(
    (await read(makeWorkbook([one, other]), { dialect: { sheet_name: 'Other' } })).records,
  ).toMatchObject([{ id: '2' }]);
  expect((await read(makeWorkbook([one]), { dialect: { sheet_name: 'Two' } })).says).toMatch(
    /no sheet "Two": say one of "One"/,
  );
});

test.each<[string, Buffer, RegExp]>([
  [
    'a zip bomb',
    zipOf({ 'xl/workbook.xml': 'x'.repeat(30_000_000) }),
    /^the file would unpack to 29 MiB from 1: it is not read/,
  ],
  [
    'one that lies about its size',
    zipOf({ 'xl/workbook.xml': `<workbook>${' '.repeat(1_000_000)}</workbook>` }, 1_000),
    /^the workbook cannot be unpacked/,
  ],
  [
    'one that is cut off',
    makeWorkbook([{ name: 'L', rows: [HEADING] }]).subarray(0, 900),
    /^the workbook cannot be unpacked/,
  ],
  [
    'one that merges whole columns ten thousand times',
    makeWorkbook([
      {
        name: 'L',
        rows: [HEADING, ...Array.from({ length: 200 }, (_, row) => [`T-${row}`, '7', 1])],
        merges: Array.from({ length: 10_000 }, () => 'D2:Z1048576'),
      },
    ]),
    /the sheet takes far more places than it has cells/,
  ],
  [
    'one with a cell in the last column of each row',
    makeWorkbook([
      {
        name: 'L',
        rows: [
          HEADING,
          ...Array.from({ length: 2_000 }, (_, row) => [{ xml: `<c r="XFD${row + 2}"><v>1</v></c>` }]),
        ],
      },
    ]),
    /the sheet takes far more places than it has cells/,
  ],
  [
    'a text that is longer than a cell can be',
    makeWorkbook([{ name: 'L', rows: [HEADING, ['1', { xml: '<c r="B2" t="s"><v>0</v></c>' }, 1]] }], {
      strings: ['x'.repeat(32_768)],
    }),
    /is longer than the text of a cell can be/,
  ],
  ['a zip of something else', zipOf({ 'a.txt': 'a' }), /^the file is a zip, and not an \.xlsx workbook/],
  [
    'XML that is broken',
    zipOf({ 'xl/workbook.xml': '<workbook><sheets></workbook>' }),
    /^the workbook is not whole/,
  ],
])('%s is refused', async (_, content, says) => {
  expect((await read(content)).says).toMatch(says);
});
