import path from 'node:path';
import { temporaryFolder } from '../setup/temporary-folder';
import { draftMapping } from '../../client/push/draft-mapping';
import type { Mapping } from '../../client/push/mapping-schema';
import { readMapping } from '../../client/push/mapping';
import { type FieldPlan, planOf, type SourcePlan } from '../../client/push/plan';
import { CASES, LAYOUTS } from './read-field';
import { written } from './read-made';

// How much of the right mapping of each layout a draft has, of a reader who wrote nothing but `--draft`. What a draft is not
// sure of stands under "?", and counts as neither right nor wrong.

interface Leaf {
  path: string;
  source: SourcePlan;
}

const NONE = { value: '?' }; // of an id that a draft does not know

/** Every field of a mapping, those of the items of lists as well, with its first source. */
function leavesOf(mapping: Mapping): Leaf[] {
  const { record } = planOf({ ...mapping, record: { id: NONE, ...mapping.record } });
  const of = (fields: readonly FieldPlan[]) =>
    fields.map(({ path: at, sources }) => ({ path: at, source: sources[0]! }));
  const lists = record?.lists.flatMap(({ entries }) => entries.flatMap(({ fields }) => of(fields))) ?? [];
  return [...of(record?.fields ?? []), ...lists].filter(({ source }) => source.value !== NONE.value);
}

/** Whether a source reads the same as the right one. A code that a draft did not meet is refused when it comes. */
function isAs(right: SourcePlan, drafted: SourcePlan): boolean {
  const meant = (source: SourcePlan, code: string) =>
    source.values && !source.keeps ? source.values.get(code) : code;
  const codes = [...(drafted.values ?? right.values ?? new Map<string, unknown>()).keys()];
  return (
    JSON.stringify([right.parts, right.value, right.habits.multiply]) ===
      JSON.stringify([drafted.parts, drafted.value, drafted.habits.multiply]) &&
    (right.where === undefined) === (drafted.where === undefined) &&
    codes.every((code) => meant(right, code) === undefined || meant(right, code) === meant(drafted, code))
  );
}

async function measure({ name, file, mapping, type }: (typeof LAYOUTS)[number]) {
  const right = await readMapping(mapping);
  const draft = await draftMapping(file, type).catch(() => draftMapping(file, type, right.dialect?.sheet_name));
  const [wanted, has] = [leavesOf(right), leavesOf(draft)];
  const isIn = (all: Leaf[], { path: at, source }: Leaf, as: (one: SourcePlan) => boolean) =>
    all.some((other) => other.path === at && as(other.source)) && source !== undefined;
  const found = wanted.filter((leaf) => isIn(has, leaf, (drafted) => isAs(leaf.source, drafted)));
  const wrong = has.filter((leaf) => !isIn(wanted, leaf, (source) => isAs(source, leaf.source)));
  return { layout: path.basename(name), fields: wanted.length, right: found.length, wrong: wrong.map((leaf) => leaf.path) };
} // prettier-ignore

test('a draft has most fields of the right mapping, and none that is wrong', async () => {
  const all = await Promise.all(LAYOUTS.map(measure));
  if (process.env['GDX_SHOW']) console.table(all);
  const sum = (count: (one: (typeof all)[number]) => number) => all.reduce((total, one) => total + count(one), 0);
  expect(all.filter(({ wrong }) => wrong.length > 0)).toEqual([]);
  expect(sum(({ right }) => right) / sum(({ fields }) => fields)).toBeGreaterThanOrEqual(0.7);
}); // prettier-ignore

const folder = temporaryFolder('draft-traits');
const draft = (text: string, type: Mapping['type'] = 'tickets', name = 'd.csv') =>
  draftMapping(written(folder, name, text), type);

test('codes get their meaning where each has one, and stand under "?" where one has none', async () => {
  const known = await draft('Ticket,In/Out,Comm\n1,I,YC\n2,O,SB\n');
  expect(known.record).toMatchObject({
    direction: { from: 'In/Out', values: { I: 'inbound', O: 'outbound' } },
    commodity: { from: 'Comm', values: { YC: 'Corn', SB: 'Soybeans' } },
  });
  const unknown = await draft('Ticket,In/Out,Comm\n1,I,YC\n2,Q,SB\n');
  expect(unknown.record).not.toHaveProperty('direction');
  expect(unknown['?']).toEqual({
    'In/Out': { direction: { from: 'In/Out', values: { I: 'inbound', Q: '?' } } },
  });
});

test('a column whose name says a field, and one of whose values does not fit, stands under "?"', async () => {
  const { record, '?': others } = await draft('Ticket,Net Wt,Tare Wt\n1,52320,a lot\n2,100,5\n');
  expect(record).toEqual({ id: 'Ticket', ticket_number: 'Ticket', net_weight: 'Net Wt' });
  expect(others).toEqual({ 'Tare Wt': ['a lot', '5'] });
});

test('an id is unique: with its site where it comes twice, and rows of one id are gathered', async () => {
  const twice = await draft('Loc,Ticket,Net Wt\n010,1,5\n020,1,6\n');
  expect(twice.record).toMatchObject({ id: { from: ['Loc', 'Ticket'], join: '-' } });
  const gathered = await draft('Ticket,Net Wt,Cust,Share %\n1,5,7,60\n1,5,8,40\n2,9,7,100\n');
  expect(gathered).toMatchObject({
    gather: true,
    record: { net_weight: 'Net Wt', splits: { each: 'rows', item: { account_id: 'Cust', split_percent: 'Share %' } } },
  }); // prettier-ignore
});

test('totals are left out by "rows", and a column that stands alone is filled down', async () => {
  const totals = await draft('Ticket,Cust,Net Wt\n20817,7,5\n20818,7,6\nTotal,,11\n');
  expect(totals.rows).toEqual({ Ticket: { pattern: '\\d+' } });
  const groups = await draft('Loc,Ticket,Net Wt\n010,,\n,1,5\n020,,\n,1,6\n');
  expect(groups).toMatchObject({ fill_down: ['Loc'], record: { id: { from: ['Loc', 'Ticket'] } } });
});

test('columns of fixed width are taken from a ruler', async () => {
  const text =
    'SCALE TICKETS\n\nTicket Customer   Net Wt\n------ -------- --------\n 20817 000417     54,340\n 20818 001203     52,280\n';
  expect(await draft(text, 'tickets', 'd.txt')).toMatchObject({
    dialect: { format: 'fixed', columns: { Ticket: [1, 6], Customer: [8, 15], 'Net Wt': [17, 24] } },
    rows: { Ticket: { pattern: '\\d+' } },
    record: { id: 'Ticket', account_id: 'Customer', net_weight: 'Net Wt' },
  });
});

test('columns of fixed width are taken from the blanks between them, with room for longer values', async () => {
  const text =
    'SCALE TICKETS\n\nTicket  Cust   Name        Net Wt\n 20817  000417 Meyer        4,340\n 20818  001203 Olson J.    52,280\nTotal 2 tickets           56,620\n';
  expect(await draft(text, 'tickets', 'g.txt')).toMatchObject({
    dialect: {
      format: 'fixed',
      columns: { Ticket: [1, 6], Cust: [7, 14], Name: [16, 23], 'Net Wt': [24, 33] },
      short_rows: 1,
    },
    record: { id: 'Ticket', account_id: 'Cust', net_weight: 'Net Wt' },
  });
});

test('columns of fixed width without names are those of one kind of sign, and the reader splits them', async () => {
  const { file } = CASES.find(({ name }) => name.startsWith('72'))!;
  const { record, dialect, '?': others } = await draftMapping(file, 'tickets');
  expect(record).toEqual({});
  expect(dialect).toMatchObject({ format: 'fixed', columns: { 'at 1': [1, 1], 'at 30': [30, 31] } });
  expect(others).toMatchObject({ 'at 1': ['D', 'H', 'S'], 'at 30': ['YC'] });
});

test('rows joined with their payments are gathered', async () => {
  const { file } = CASES.find(({ name }) => name.startsWith('71'))!;
  expect(await draftMapping(file, 'settlements')).toMatchObject({ gather: true, record: { id: 'Bill' } });
});

test('a long JSON file, whose end a draft does not see, is drafted by its beginning', async () => {
  const load = (no: number) => ({ ticketNumber: no, customer: { accountNumber: '000417' }, memo: 'x'.repeat(900) }); // prettier-ignore
  const all = { data: { loads: Array.from({ length: 500 }, (_, no) => load(no)) } };
  expect(await draft(JSON.stringify(all), 'tickets', 'd.json')).toMatchObject({
    dialect: { property: 'data.loads[]' },
    record: { id: 'ticketNumber', account_id: 'customer.accountNumber' },
  });
});
