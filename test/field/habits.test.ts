import fc from 'fast-check';
import type { Mapping } from '../../client/push/mapping-schema';
import { played, scaledTest } from '../setup/cases';
import { temporaryFolder } from '../setup/temporary-folder';
import { type MadeCell, makeWorkbook } from './make-workbook';
import { readMade, written } from './read-made';

// Whatever records an ERP has, and in whatever habit it writes them, they come back as the same records.

const folder = temporaryFolder('habits');

interface Load {
  location: string;
  number: string;
  commodity: string;
  net: string;
  shares: { account: string; percent: string }[];
}

/** How an ERP writes. */
interface Habit {
  format: 'csv' | 'json' | 'ndjson' | 'xlsx';
  splits: 'rows' | 'beside';
  /** An id of two columns, joined by a dash. */
  joined: boolean;
  delimiter: string;
  decimal: '.' | ',';
  titles: boolean;
  blanks: boolean;
  totals: boolean;
  filledDown: boolean;
  shuffle: number;
}

const digits = (most: number) => fc.integer({ min: 1, max: most }).map(String);
const text = fc.string({ minLength: 1, maxLength: 12, unit: fc.constantFrom(...'abcXYZ äß€"\',;|.-0123') });
const load = fc.record<Load>({
  location: digits(40).map((one) => one.padStart(3, '0')),
  number: digits(99_999).map((one) => one.padStart(5, '0')),
  commodity: text.map((one) => `c${one}c`),
  net: fc.integer({ min: -9_999_999, max: 9_999_999 }).map((cents) => (cents / 100).toFixed(2)),
  shares: fc.array(fc.record({ account: text.map((one) => `a${one}a`), percent: digits(100) }), {
    minLength: 1,
    maxLength: 3,
  }),
});
const idOf = ({ location, number }: Load, { joined }: Habit) => (joined ? `${location}-${number}` : number);
const loads = (habit: Habit) =>
  fc.uniqueArray(load, { minLength: 1, maxLength: 12, selector: (one) => idOf(one, habit) });
const habit = fc.record<Habit>({
  format: fc.constantFrom('csv', 'json', 'ndjson', 'xlsx'),
  splits: fc.constantFrom('rows', 'beside'),
  joined: fc.boolean(),
  delimiter: fc.constantFrom(',', ';', '\t', '|'),
  decimal: fc.constantFrom('.', ','),
  titles: fc.boolean(),
  blanks: fc.boolean(),
  totals: fc.boolean(),
  filledDown: fc.boolean(),
  shuffle: fc.nat(1_000),
});

const BESIDE = [1, 2, 3];
const headingOf = ({ splits }: Habit) => [
  ...['Loc', 'Ticket', 'Comm', 'Net'],
  ...(splits === 'rows' ? ['Owner', 'Pct'] : BESIDE.flatMap((one) => [`Owner ${one}`, `Pct ${one}`])),
];

/** Grouped by thousands. */
function figure(value: string, { decimal }: Habit): string {
  const [whole = '', fraction] = value.split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, decimal === ',' ? '.' : ',');
  return fraction === undefined ? grouped : `${grouped}${decimal}${fraction}`;
}

/** The rows of a load, each as cells below the heading. */
function rowsOf(one: Load, habit: Habit): string[][] {
  const own = [one.location, one.number, one.commodity, figure(one.net, habit)];
  if (habit.splits === 'beside')
    return [
      [
        ...own,
        ...BESIDE.flatMap((at) => [one.shares[at - 1]?.account ?? '', one.shares[at - 1]?.percent ?? '0']),
      ],
    ];
  return one.shares.map(({ account, percent }, index) => {
    const isFirst = index === 0 || !habit.filledDown;
    return [
      ...(isFirst ? own.slice(0, 2) : ['', '']),
      ...(index === 0 ? own.slice(2) : ['', '']),
      account,
      percent,
    ];
  });
}

/** Rows of a load apart from each other, where each says whose it is. */
function orderOf(rows: string[][], { shuffle, filledDown, splits }: Habit): string[][] {
  if (filledDown && splits === 'rows') return rows;
  const ofLoad = (row: string[]) => `${row[0]}-${row[1]}`;
  const parts = [
    rows.filter((_, index) => (index * 7 + shuffle) % 3 === 0),
    rows.filter((_, index) => (index * 7 + shuffle) % 3 !== 0),
  ];
  // The shares of a load stay in their order.
  const inOrder = new Map<string, string[][]>();
  for (const row of rows) inOrder.set(ofLoad(row), [...(inOrder.get(ofLoad(row)) ?? []), row]);
  return parts.flat().map((row) => inOrder.get(ofLoad(row))!.shift()!);
}

function tableOf(all: Load[], habit: Habit): string[][] {
  const heading = headingOf(habit);
  const rows = orderOf(
    all.flatMap((one) => rowsOf(one, habit)),
    habit,
  );
  const blank = habit.blanks ? [heading.map(() => '')] : [];
  const titles = habit.titles ? [['REGISTER', 'of all'], ...blank] : [];
  const middle = Math.ceil(rows.length / 2);
  const page = habit.titles ? [...blank, ['REGISTER', 'Page 2'], heading] : [];
  const totals = habit.totals ? [['Total', `${all.length} loads`, '', figure('12345.67', habit)]] : [];
  return [
    ...titles,
    heading,
    ...rows.slice(0, middle),
    ...(habit.filledDown ? [] : page),
    ...rows.slice(middle),
    ...blank,
    ...totals,
  ];
}

const quoted = (cell: string, delimiter: string) =>
  new RegExp(`["\\r\\n${delimiter === '|' ? '\\|' : delimiter}]|^\\s|\\s$`).test(cell)
    ? `"${cell.replaceAll('"', '""')}"`
    : cell;

function fileOf(all: Load[], habit: Habit): [name: string, content: string | Buffer] {
  const { format, delimiter } = habit;
  const table = tableOf(all, habit);
  if (format === 'csv')
    return [
      'a.csv',
      table.map((row) => row.map((cell) => quoted(cell, delimiter)).join(delimiter)).join('\r\n'),
    ];
  if (format === 'xlsx')
    return [
      'a.xlsx',
      makeWorkbook([
        {
          name: 'Loads',
          rows: table.map((row): MadeCell[] => row.map((cell) => (cell === '' ? undefined : cell))),
        },
      ]),
    ];
  const objects = all.map((one) => ({
    Loc: one.location,
    Ticket: one.number,
    Comm: one.commodity,
    Net: habit.decimal === '.' ? Number(one.net) : figure(one.net, habit),
    owners: one.shares.map(({ account, percent }) => ({ who: { id: account }, pct: Number(percent) })),
  }));
  return format === 'json'
    ? ['a.json', JSON.stringify({ at: 'x', loads: objects }, null, 1)]
    : ['a.ndjson', objects.map((one) => JSON.stringify(one)).join('\n')];
}

function mappingOf(habit: Habit): Mapping {
  const isTable = habit.format === 'csv' || habit.format === 'xlsx';
  const share = (owner: string, percent: string) => ({ account_id: owner, split_percent: percent });
  const splits = !isTable
    ? { each: 'owners[]', item: share('who.id', 'pct') }
    : habit.splits === 'rows'
      ? { each: 'rows', item: share('Owner', 'Pct') }
      : { each: BESIDE, item: share('Owner {}', 'Pct {}') };
  return {
    type: 'tickets',
    ...(habit.format === 'json' && { dialect: { property: 'loads[]' } }),
    ...(isTable && { rows: { Loc: { pattern: '\\d+' } } }),
    ...(habit.decimal === ',' && { numbers: { decimal_char: ',' } }),
    ...(isTable &&
      habit.splits === 'rows' && { gather: true, ...(habit.filledDown && { fill_down: ['Loc', 'Ticket'] }) }),
    record: {
      id: habit.joined ? { from: ['Loc', 'Ticket'], join: '-' } : 'Ticket',
      commodity: 'Comm',
      net_weight: 'Net',
      splits,
    },
  };
}

const figures = (value: unknown) => Number(value);

scaledTest('random loads come back from any habit as the same records', () =>
  fc.assert(
    fc.asyncProperty(
      habit.chain((one) => fc.tuple(fc.constant(one), loads(one))),
      async ([one, all]) => {
        const [name, content] = fileOf(all, one);
        const { records, says } = await readMade(written(folder, name, content), mappingOf(one));
        expect(says).toBe('');
        const found = records.map((record) => ({
          ...record,
          net_weight: figures(record['net_weight']),
          splits: (record['splits'] as Record<string, unknown>[]).map((split) => ({
            ...split,
            split_percent: figures(split['split_percent']),
          })),
        }));
        const expected = all.map((load) => ({
          id: idOf(load, one),
          commodity: load.commodity,
          net_weight: figures(load.net),
          splits: load.shares.map(({ account, percent }) => ({
            account_id: account,
            split_percent: figures(percent),
          })),
        }));
        const sorted = (list: Record<string, unknown>[]) =>
          [...list].sort((a, b) => (String(a['id']) < String(b['id']) ? -1 : 1));
        expect(sorted(found)).toEqual(sorted(expected));
      },
    ),
    played(8, 3_000),
  ),
);
