import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Mapping } from '../../cli/push/mapping-schema';
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
