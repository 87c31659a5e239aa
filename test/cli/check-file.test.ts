import fc from 'fast-check';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { checkFile } from '../../cli/push/check-file';
import { readMapping } from '../../cli/push/mapping';
import { dateReader } from '../../cli/push/convert';
import { readObjects } from '../../cli/push/read-objects';
import { readRecords } from '../../cli/push/read-records';
import { readRows } from '../../cli/push/read-rows';
import { plainText } from '../../cli/text-file/plain-text';
import { temporaryFolder } from '../setup/temporary-folder';

const folder = temporaryFolder('check');
function write(name: string, content: string | Buffer): string {
  writeFileSync(path.join(folder, name), content);
  return path.join(folder, name);
}

const MAPPING = {
  type: 'tickets',
  dates: 'MM/DD/YYYY HH:mm',
  columns: { 'Ticket #': 'id', Cust: 'account_id', 'Net Lbs': 'net_weight', In: 'weigh_in_at', Moist: 'grade_factors[0].result' }, // prettier-ignore
};
const mapping = (changes: object = {}) =>
  readMapping(write('mapping.json', JSON.stringify({ ...MAPPING, ...changes })));
const HEADER = 'Ticket #,Cust,Net Lbs,In,Moist\r\n';
const rows = (count: number) =>
  Array.from({ length: count }, (_, index) => `K-${index},1001,"1,0${(index % 90) + 10}",,\r\n`).join('');
const GOOD = `${HEADER}${rows(300)}`;

async function problemsOf(file: string, changes: object = {}): Promise<string[]> {
  const { problems } = await checkFile(file, await mapping(changes), () => {});
  return problems.map(({ message }) => message);
}

const WRONG: [string, string, string | Buffer, RegExp, object?][] = [
  ['Windows', 'w.csv', Buffer.concat([Buffer.from(GOOD), Buffer.from('M-1,M\xfc\r\n', 'latin1')]), /^line 302, column 6: byte 0xfc is not UTF-8/], // prettier-ignore
  ['UTF-16 without a mark', 'v.csv', Buffer.from(GOOD, 'utf16le'), /^line 1, column 2: a zero byte/],
  ['a character cut off', 'y.csv', Buffer.from([0x61, 0xe2, 0x82]), /^line 1, column 2: byte 0xe2/],
  ['a value that is none', 'x.csv', `${GOOD}B-1,1,heavy,,\r\n`, /^line 302, column 3 \(Net Lbs\): net_weight must be a number/], // prettier-ignore
  ['a date that is none', 'd.csv', `${GOOD}B-1,1,1,02/30/2026 10:00,\r\n`, /^line 302, column 4 \(In\): weigh_in_at must be an RFC 3339/], // prettier-ignore
  ['no id', 'i.csv', `${GOOD},1001,1,,\r\n`, /^line 302, column 1 \(Ticket #\): id is required/],
  [
    'a row too short',
    's.csv',
    `${GOOD}B-1,1001\r\n`,
    /^line 302: the row has 2 columns and the header has 5/,
  ],
  [
    'a quote that never closes',
    'q.csv',
    `${GOOD}B-1,"1001\r\n${'x,\r\n'.repeat(9)}`,
    /^line 302, column 2: a quote is opened/,
  ],
  ['a quote within', 'z.csv', `${GOOD}B-1,10"01,1,,\r\n`, /^line 302, column 2: a quote in the middle/],
  [
    'a row of 2 MiB',
    'r.csv',
    `${GOOD}B-1,"${'x,\r\n'.repeat(300_000)}`,
    /^line 302.*: a row of more than 1 MiB/,
  ],
  ['a column that is not there', 'm.csv', GOOD, /^line 1: the mapping names “Gross”, and the header has no such column: Ticket #, Cust/, { columns: { ...MAPPING.columns, Gross: 'gross_weight' } }], // prettier-ignore
  [
    'a column that is there twice',
    't.csv',
    `Cust,${GOOD}`,
    /^line 1: the header has the column “Cust” twice/,
  ],
  ['no columns', 'n.csv', GOOD, /^line 1: the mapping has no "columns"/, { columns: undefined }],
  ['another delimiter', 'e.csv', 'Ticket #;Cust\nT-1;1\n', /Say "delimiter": ";" in the mapping/],
  ['another delimiter, and quotes', 'f.csv', 'Ticket #;Cust\n1;"a"\n', /is the "delimiter" another one/],
  ['a name of the feed', 'g.csv', `${HEADER}T-1,1,1,,\r\n`, /^line 2, column 2 \(Cust\): account is/m, { columns: { ...MAPPING.columns, Cust: 'account' } }], // prettier-ignore
  ['a list cut off', 'a.json', '[{"Ticket #":"C-1"},', /^line 1: the list does not end/m],
  [
    'an object cut off',
    'b.ndjson',
    '{"Ticket #":"C-1"}\n{"Ticket',
    /^line 2: the file ends within this record/m,
  ],
  ['no object', 'c.json', '{"a":1}\n7', /^line 2, column 1: a record is an object/m],
  [
    'an id that loses digits',
    'na.json',
    ' [{"é":"ü", "v":9007199254740993}]',
    /^line 1, column 17: a number with digits past 2\^53$/m,
  ],
  [
    'one in a later line of a record',
    'nb.json',
    '{"a":1}\n\n {"b":\n{"ü":[1,\n -9007199254740993]}}',
    /^line 5, column 3: a number with digits past 2\^53$/m,
  ],
  ['a number that is none', 'nc.json', '{"v":1e400}', /^line 1: a number that is not finite at v$/m],
  ['half a character', 'nd.json', '{"v":"\\ud800"}', /^line 1: an unpaired surrogate at v$/m],
  ['a member __proto__', 'ne.json', '{"v":{"__proto__":1}}', /^line 1: a key "__proto__" at v$/m],
  ['no JSON', 'nf.json', '{"a":1}\n{"v":1,}', /^line 2, column 8: not valid JSON$/m],
  [
    '32 levels',
    'ng.json',
    `{"v":${'['.repeat(32)}${']'.repeat(32)}}`,
    /^line 1: nested more than 32 levels deep$/m,
  ],
  ['a column for a list, and one for its first item', 'ni.csv', `${HEADER}T-1,7,1,,\r\n`, /^line 2, column 2 \(Cust\): splits must be a list$/m, { columns: { ...MAPPING.columns, Cust: 'splits', 'Net Lbs': 'splits[0].account_id' } }], // prettier-ignore
  ['such a list in JSON, of no objects', 'nj.json', '[{"a":"1","b":["x"],"c":"2"}]', /^line 1: splits\[0\] must be an object$/m, { columns: { a: 'id', b: 'splits', c: 'splits[0].account_id' } }], // prettier-ignore
  [
    '26 levels, and those of the request',
    'nh.json',
    `{"id":"1","account_id":"1","v":${'['.repeat(27)}${']'.repeat(27)}}`,
    /^line 1: as it is sent: nested more than 32 levels deep$/m,
    { columns: undefined },
  ],
  ['a member twice', 'h.json', '[{"a":1,\n"a":2}]', /^line 1: .*a/],
  [
    'a record without end',
    'k.json',
    `[{"a":"${'x'.repeat(2 * 1024 * 1024)}`,
    /^line 1: a record of more than 1 MiB/,
  ],
  [
    'a decimal comma',
    'l.csv',
    `${HEADER}T-1,1001,"52,34",,\r\n`,
    /^line 2, column 3 \(Net Lbs\): net_weight must be a number/,
  ],
  ['a column that no record has', 'j.json', '[{"Ticket #":"C-1","Cust":"1"}]', /the mapping names “Net Lbs”, and no record has it/], // prettier-ignore
];

test.each(
  WRONG.map(([what, name, content, says, changes = {}]) => [what, name, content, says, changes] as const),
)('refuses %s, and says where', async (_, name, content, says, changes) => {
  const found = await problemsOf(write(name, content), changes);
  expect(found.join('\n')).toMatch(says);
});

test('names twenty wrong records at once, and reads on no further', async () => {
  const file = write('many.csv', `${HEADER}${'B-1,1,heavy,,\r\n'.repeat(500)}`);
  expect((await problemsOf(file)).length).toBe(20);
});

test('what is right is counted, a byte order mark and blank lines are nothing', async () => {
  const file = write('ok.csv', `\ufeff${HEADER}\n${rows(7)}\r\n`);
  expect(await checkFile(file, await mapping(), () => {})).toEqual({
    records: 7,
    problems: [],
    unmapped: [],
  });
  expect(await problemsOf(write('empty.json', '[]'), { columns: undefined })).toEqual([]);
});

test('values are as the schema of their field wants them, where that is plain', async () => {
  const columns = { id: 'id', who: 'splits[1].account_id', share: 'splits[1].split_percent', on: 'driver_on', at: 'weigh_in_at', x: 'own' }; // prettier-ignore
  const set = {
    'splits[1].disposition': 'priced',
    'splits[0].disposition': 'on_hold',
    status: 'complete',
    n: 5,
  };
  const file = write('v.csv', 'id,who,share,on,at,x\n 1 ,1001,"-1,234.50",Yes,2026-10-20T08:41:00Z,  \n');
  const read: unknown[] = [];
  for await (const { record } of readRecords(file, await mapping({ columns, set }))) read.push(record);
  expect(read).toEqual([
    {
      id: '1',
      splits: [{ account_id: '1001', split_percent: '-1234.50', disposition: 'priced' }],
      driver_on: true,
      weigh_in_at: '2026-10-20T08:41:00Z',
      status: 'complete',
      n: 5,
    },
  ]);
});

test('cells are read without what nobody sees: phones, dates and figures everywhere, names and ids at both ends', async () => {
  const columns = { a: 'id', b: 'name', c: 'phones[0].phone', d: 'deleted_at', e: 'own' };
  const file = write('pasted.csv', `\u200ea,b\u00a0,c,d,e\n\u202dA\u200b1\u202c,\u00a0Mey\u00ader\u2060,\u202d(701)\u00a0555\u20110142\u202c,\u200e1/5/2026\u00a08:41\u202fAM,\u200b\n`); // prettier-ignore
  const changes = { type: 'accounts', columns, dates: 'MM/DD/YYYY hh:mm A' };
  const read: unknown[] = [];
  for await (const { record } of readRecords(file, await mapping(changes))) read.push(record);
  expect(read).toEqual([{ id: 'A\u200b1', name: 'Mey\u00ader', phones: [{ phone: '7015550142' }], deleted_at: '2026-01-05T08:41:00Z' }]); // prettier-ignore
  const figures = write('figures.csv', 'a,b,c\nT-1,\uff11,\u200e1\u200b2\u00a0\nT-2,1,yes\u2060\n');
  const found: unknown[] = [];
  const others = { a: 'id', b: 'net_weight', c: 'driver_on' };
  for await (const { record } of readRecords(figures, await mapping({ columns: others }))) found.push(record);
  expect(found).toEqual([{ id: 'T-1', net_weight: '1', driver_on: '12' }, { id: 'T-2', net_weight: '1', driver_on: true }]); // prettier-ignore
});

test('a header that only looks like the mapping’s names what makes it another', async () =>
  expect(
    await problemsOf(write('nbsp.csv', 'Ticket\u00a0#,Cust\n1,2\n'), { columns: { 'Ticket #': 'id' } }),
  ).toEqual([
    'line 1: the mapping names “Ticket #”, and the header has no such column: Ticket<U+00A0>#, Cust',
  ]));

test('a field may have the name of what every object inherits', async () => {
  const columns = { a: 'id', b: 'constructor[0].x', c: 'toString' };
  const file = write('inherited.csv', 'a,b,c\n1,2,3\n');
  for await (const { record } of readRecords(file, await mapping({ columns })))
    expect(record).toEqual({ id: '1', constructor: [{ x: '2' }], toString: '3' });
});

test.each<[string, object, RegExp]>([
  ['a field __proto__', { columns: { a: '__proto__' } }, /wrong or missing: columns\/a; /],
  ['a field too deep', { columns: { 'a/b': 'x[0].y[1].z' } }, /wrong or missing: columns\/a\/b; /],
  ['a type that is none', { type: 'loads' }, /wrong or missing: type/],
  ['no type', { type: undefined }, /wrong or missing: type/],
  ['a key that is none', { colums: {} }, /wrong or missing: colums/],
  ['a zone that does not exist', { time_zone: 'Dakota' }, /Dakota is not a time zone/],
  ['dates without a year', { dates: 'MM/DD' }, /wrong or missing: dates/],
])('refuses a mapping with %s', async (_, changes, says) => {
  const problem = await mapping(changes).catch(
    (error: Error & { advice: string }) => `${error.message}; ${error.advice}`,
  );
  expect(problem).toMatch(says);
});

test.each([
  ['MM/DD/YYYY HH:mm', 'America/Chicago', '1/5/2026 8:41', '2026-01-05T08:41:00-06:00'],
  ['MM/DD/YYYY HH:mm', 'America/Chicago', '03/08/2026 01:59', '2026-03-08T01:59:00-06:00'],
  ['MM/DD/YYYY HH:mm', 'America/Chicago', '03/08/2026 03:00', '2026-03-08T03:00:00-05:00'],
  ['MM/DD/YYYY HH:mm', 'America/Chicago', '11/01/2026 01:30', '2026-11-01T01:30:00-05:00'],
  ['MM/DD/YYYY HH:mm', 'America/Chicago', '11/01/2026 02:00', '2026-11-01T02:00:00-06:00'],
  ['DD.MM.YYYY hh:mm:ss A', undefined, '20.10.2026 12:05:09 AM', '2026-10-20T00:05:09Z'],
  ['DD.MM.YYYY hh:mm A', 'Asia/Kolkata', '20.10.2026 1:05 pm', '2026-10-20T13:05:00+05:30'],
  ['YYYYMMDD', undefined, '20261020', '2026-10-20T00:00:00Z'],
  ['MM/DD/YYYY', undefined, 'tomorrow', 'tomorrow'],
])('dates as %s in %s: %s', (pattern, zone, text, expected) => {
  expect(dateReader(pattern, zone)(text)).toBe(expected);
});

test('a day alone stays a day where the field takes one', () =>
  expect(dateReader('MM/DD/YYYY', 'America/Chicago', { day: true })('8/14/2026')).toBe('2026-08-14'));

describe('however a file is cut into chunks', () => {
  const chunked = (bytes: Buffer, sizes: number[]) => {
    const chunks: Buffer[] = [];
    for (let from = 0, turn = 0; from < bytes.length; turn++) {
      const to = from + (sizes[turn % sizes.length] ?? 1);
      chunks.push(bytes.subarray(from, to));
      from = to;
    }
    return Readable.from(chunks, { objectMode: false, highWaterMark: 1 });
  };
  const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 });
  const text = fc.string({ unit: 'binary' }).map((any) => any.replaceAll('\0', ''));

  test('its bytes are the same', () =>
    fc.assert(
      fc.asyncProperty(text, sizes, fc.boolean(), async (given, lengths, marked) => {
        const bytes = Buffer.from(`${marked ? '\ufeff' : ''}x${given}`);
        const passed: Buffer[] = [];
        for await (const chunk of plainText(chunked(bytes, lengths))) passed.push(chunk);
        expect(Buffer.concat(passed).toString()).toBe(`x${Buffer.from(given).toString()}`);
      }),
    ));

  test('its objects are the same', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ a: text, b: fc.array(fc.record({ c: text })) })),
        sizes,
        async (given, lengths) => {
          const bytes = Buffer.from(JSON.stringify(given, null, 1));
          const read: unknown[] = [];
          for await (const { value } of readObjects(chunked(bytes, lengths))) read.push(value);
          expect(read).toEqual(JSON.parse(bytes.toString()));
        },
      ),
    ));

  test('its rows are the same, and each knows its line', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(text, text)), sizes, async (given, lengths) => {
        const quote = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
        const lines = given.map((cells) => `${cells.map(quote).join(',')}\n`);
        const read: unknown[] = [];
        for await (const row of readRows(chunked(Buffer.from(`a,b\n${lines.join('')}`), lengths), ','))
          read.push(row);
        const lineOf = (index: number) =>
          2 +
          lines
            .slice(0, index)
            .join('')
            .split(/\r\n|\r|\n/).length -
          1;
        const expected = given.map((cells, index) => ({ line: lineOf(index), cells: cells.map(wellFormed) }));
        expect(read).toEqual([{ line: 1, cells: ['a', 'b'] }, ...expected]);
      }),
    ));
  const wellFormed = (cell: string) => Buffer.from(cell).toString();
});
