import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Mapping } from '../../client/push/mapping-schema';
import { temporaryFolder } from '../setup/temporary-folder';
import { readMade, written } from './read-made';

// What is read of XML and dBase beside the layouts and cases, and what is not read, each named for what it is.

const folder = temporaryFolder('formats');
const record = { id: 'T', account_id: 'A' };
const read = (name: string, content: string | Buffer, mapping: Partial<Mapping> = {}) =>
  readMade(written(folder, name, content), { type: 'tickets', record, ...mapping });

const OLE = Buffer.concat([Buffer.from([0xd0, 0xcf, 0x11, 0xe0]), Buffer.alloc(600)]);

test.each<[string, string | Buffer, RegExp]>([
  ['a.csv', gzipSync('T,A\n1,7\n'), /^line 1: the file is packed .*: unpack it/],
  ['a.csv', Buffer.from('%PDF-1.7\n\u00e2\u00e3', 'latin1'), /^line 1: the file is a PDF/],
  ['a.xls', '<html><body><table><tr><td>T</td></tr></table>', /^line 1: the file is a web page \(HTML\)/],
  ['a.xls', OLE, /^line 1: the file is an old workbook \(\.xls\): save it as/],
  ['a.xml', '<?xml version="1.0"?>\n<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet">', /a workbook of 2003/],
  ['a.txt', 'ISA*00*          *00*          *ZZ*A~GS*', /^line 1: the file is EDI/],
  ['a.dat', "UNA:+.? 'UNB+UNOC:3+A", /^line 1: the file is EDI/],
  ['a.csv', 'PAR1\u0000\u0000', /^line 1: the file is Parquet/],
])('%s is not read, and named for what it is', async (name, content, says) => {
  expect((await read(name, content)).says).toMatch(says);
}); // prettier-ignore

test('in XML a site of its own list is told from others, and a text beside attributes is the text', async () => {
  const xml = `<?xml version="1.0" encoding="windows-1252"?>
<x:Export xmlns:x="urn:x"><x:Site no="100"><T><T>1</T><A k="z">M\u00fcller</A></T></x:Site>
<x:Site no="200"><T><T>1</T><A><![CDATA[8 & 9]]></A></T><Name>late</Name></x:Site></x:Export>`;
  const mapping = {
    dialect: { property: 'Export.Site[].T[]' },
    record: { ...record, id: { from: ['Export.Site[].@no', 'T'], join: '-' } },
  };
  const { says, records } = await read('s.xml', Buffer.from(xml, 'latin1'), mapping);
  expect([says, records]).toEqual(['', [{ id: '100-1', account_id: 'M\u00fcller' }, { id: '200-1', account_id: '8 & 9' }]]); // prettier-ignore
});

const manyOf = (one: (index: number) => string) =>
  Array.from({ length: 150_000 }, (_, n) => one(n)).join(' ');

test.each<[string, string | undefined, RegExp]>([
  [
    '<E><T><T>1</T></T><T><T>2</T></T></E>',
    undefined,
    /named by "property" in the "dialect", such as "E\.T\[\]"/,
  ],
  ['<E><T><T>1</T></T></E>', 'Export.T[]', /"property" begins with Export, and the file with E/],
  ['<E><T><T>1</T></T></E>', 'E.Ticket[]', /there is nothing at "property": "E\.Ticket\[\]"; there are E\.T/],
  ['<E><T><T>1</T><A>7</A></T><T><T>2</T>', 'E.T[]', /the XML is not whole/],
  [`<E><T>${'<a>'.repeat(40)}`, 'E.T[]', /nested more than 32 levels deep/],
  [`<E><T><T>${'x'.repeat(1_100_000)}</T></T></E>`, 'E.T[]', /a record of more than 1 MiB/],
])('XML %.20s with property %s is refused', async (xml, property, says) => {
  expect((await read('r.xml', xml, property ? { dialect: { property } } : {})).says).toMatch(says);
});

test.each([
  ['empty elements', `<T>${'<a/>'.repeat(300_000)}</T>`],
  ['names', `<T>${manyOf((n) => `<a${n}/>`)}</T>`],
  ['attributes', `<T ${manyOf((n) => `a${n}="1"`)}/>`],
])('a record of XML that is too large by its %s is refused', async (_, xml) => {
  const { says } = await read('l.xml', `<E>${xml}</E>`, { dialect: { property: 'E.T[]' } });
  expect(says).toMatch(/^line 1: a record of more than 1 MiB/);
});

test('where the records of a long XML file are is found by its beginning', async () => {
  const { says } = await read('l.xml', `<E><Ts>${'<T><T>1</T><A>7</A></T>'.repeat(100_000)}</Ts></E>`);
  expect(says).toMatch(/named by "property" in the "dialect", such as "E\.Ts\.T\[\]"/);
});

test('an element of XML may have any name', async () => {
  const names = ['constructor', 'toString', '__proto__'];
  const xml = `<E><T><T>1</T><A>7</A>${names.map((name) => `<${name}>2</${name}>`).join('')}</T></E>`;
  const ofNames = { yours: 'constructor', ours: 'toString', truck_driver: '__proto__' };
  const mapping = {
    dialect: { property: 'E.T[]' },
    record: { ...record, ...ofNames },
    own_fields: ['yours', 'ours'],
  };
  expect(await read('n.xml', xml, mapping)).toMatchObject({
    says: '',
    records: [{ id: '1', yours: '2', ours: '2', truck_driver: '2' }],
  });
});

const TABLE = readFileSync(path.join(__dirname, 'layouts/19-scaletkt.dbf'));
const ofTable: Partial<Mapping> = { record: { id: 'TICKET', account_id: 'CUSTNO', truck_driver: 'DRIVER' } };

test('a dBase table that is cut off, has deleted rows or letters that nobody explains is refused', async () => {
  expect((await read('a.dbf', TABLE, ofTable)).says).toMatch(/line 4: the row is marked as deleted: say "deleted": \{ "\*": "\*" \}/); // prettier-ignore
  const live: Partial<Mapping> = { ...ofTable, rows: { '*': '' } };
  expect((await read('a.dbf', TABLE, live)).says).toMatch(
    /2 of 3 values has letters whose encoding.*"cp437".*`Peña`/s,
  );
  const cut = { ...live, dialect: { encoding: 'cp437' } };
  expect((await read('a.dbf', TABLE, cut)).says).toBe('');
  expect((await read('a.dbf', TABLE.subarray(0, -60), cut)).says).toMatch(
    /the file has 3 rows of 4: it was cut off/,
  );
});

type Column = readonly [name: string, type: string, width: number];

/** A dBase table of one row. */
function tableOf(columns: readonly Column[], row: Buffer): Buffer {
  const head = Buffer.alloc(32 + 32 * columns.length + 1);
  head.set([3, 126, 6, 30, 1, 0, 0, 0]);
  head.writeUInt16LE(head.length, 8);
  head.writeUInt16LE(1 + row.length, 10);
  columns.forEach(([name, type, width], index) => {
    head.write(name + '\0'.repeat(11 - name.length) + type, 32 + 32 * index, 'latin1');
    head[32 + 32 * index + 16] = width;
  });
  head[head.length - 1] = 0x0d;
  return Buffer.concat([head, Buffer.from(' '), row]);
}

const ofCell = (type: string, cell: Buffer, field: string) =>
  read('b.dbf', tableOf([['T', 'C', 2], ['A', 'C', 2], ['X', type, cell.length]], Buffer.concat([Buffer.from('T1A7'), cell])), { type: field === 'contract_date' ? 'contracts' : 'tickets', time_zone: 'UTC', record: { ...record, [field]: 'X' } }); // prettier-ignore

const timeOf = (days: number, ms: number) => {
  const cell = Buffer.alloc(8);
  cell.writeInt32LE(days, 0);
  cell.writeInt32LE(ms, 4);
  return cell;
};
const doubleOf = (value: number) => Buffer.from(Float64Array.of(value).buffer);

test.each(['20260231', '20261399', '20260600', '20250229', '00000000', '99999999', '2026 630'])(
  'a day of dBase that does not exist is refused: %s',
  async (day) => {
    expect((await ofCell('D', Buffer.from(day), 'contract_date')).says).toMatch(
      new RegExp(`is not a date, first line 2: \`${day}\``),
    );
  },
);

test('a day and a time of dBase that exist are read as they are', async () => {
  expect(await ofCell('D', Buffer.from('20240229'), 'contract_date')).toMatchObject({ says: '', records: [{ contract_date: '2024-02-29' }] }); // prettier-ignore
  expect(await ofCell('T', timeOf(2_461_222, 86_399_000), 'weigh_in_at')).toMatchObject({ says: '', records: [{ weigh_in_at: '2026-06-30T23:59:59.000Z' }] }); // prettier-ignore
});

test.each<[string, string, Buffer]>([
  ['T', 'of no day', timeOf(0x7fffffff, 0x7fffffff)],
  ['T', 'of 24 hours', timeOf(2_461_222, 86_400_000)],
  ['@', 'before midnight', timeOf(2_461_222, -1)],
  ['B', 'far too large', doubleOf(1e300)],
  ['B', 'that is no number', doubleOf(NaN)],
])('a time of dBase (%s) %s is refused by its cell', async (type, _, cell) => {
  expect((await ofCell(type, cell, 'weigh_in_at')).says).toMatch(/is not a (date|number), first line 2/);
});

test.each([NaN, Infinity])('a number of dBase that is %s is refused by its cell', async (value) => {
  expect((await ofCell('O', doubleOf(value), 'net_weight')).says).toMatch(/is not a number, first line 2/);
});

test.each([
  ['I', 2],
  ['+', 8],
  ['Y', 4],
  ['T', 4],
  ['@', 9],
  ['O', 4],
  ['B', 4],
])('a dBase table whose header says %s of %i bytes is damaged', async (type, width) => {
  expect((await ofCell(type, Buffer.alloc(width, 1), 'net_weight')).says).toBe(
    `line 1: the header of the dBase table is damaged: the field X of type ${type} has ${width} bytes`,
  );
});
