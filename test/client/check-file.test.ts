import fc from 'fast-check';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { checkFile } from '../../client/push/check-file';
import { showRecords } from '../../client/push/show-records';
import { gatheringIn } from '../../client/push/gather';
import { readMapping } from '../../client/push/mapping';
import { readObjects } from '../../client/push/read-objects';
import { readRecords } from '../../client/push/read-records';
import { readRows } from '../../client/push/read-rows';
import { Reading } from '../../client/push/reading';
import { plainText } from '../../client/text-file/plain-text';
import { anyText } from '../setup/any-text';
import { temporaryFolder } from '../setup/temporary-folder';
import { slowTest } from '../setup/cases';

const folder = temporaryFolder('check');
function write(name: string, content: string | Buffer): string {
  writeFileSync(path.join(folder, name), content);
  return path.join(folder, name);
}

const RECORD = {
  id: 'Ticket #',
  account_id: 'Cust',
  net_weight: 'Net Lbs',
  weigh_in_at: 'In',
  grade_factors: [{ result: 'Moist' }],
};
const MAPPING = {
  type: 'tickets',
  dates: ['MM/DD/YYYY HH:mm'],
  time_zone: 'America/Chicago',
  record: RECORD,
};
const mapping = (changes: object = {}) =>
  readMapping(write('mapping.json', JSON.stringify({ ...MAPPING, ...changes })));
const HEADER = 'Ticket #,Cust,Net Lbs,In,Moist\r\n';
const rows = (count: number) =>
  Array.from({ length: count }, (_, index) => `K-${index},1001,"1,0${(index % 90) + 10}",,\r\n`).join('');
const GOOD = `${HEADER}${rows(300)}`;

/** What is made of a file, what is said of it, and how many records it has. */
async function check(file: string, changes: object = {}) {
  const [said, seen] = [await mapping(changes), new Reading()];
  const gathering = said.gather ? gatheringIn(path.join(folder, 'rows'), 1) : undefined;
  const records: unknown[] = [];
  const read = readRecords(file, said, seen, gathering);
  const noted = (async function* () {
    for await (const one of read) {
      records.push(one.record);
      yield one;
    }
  })();
  const { problems } = await checkFile(noted, said, 100, seen, () => {});
  gathering?.remove();
  return { records, problems: problems.map(({ message }) => message), notes: seen.notes() };
}

const problemsOf = async (file: string, changes: object = {}) => (await check(file, changes)).problems;
const recordsOf = async (file: string, changes: object = {}) => (await check(file, changes)).records;

const asItIs = { record: undefined };
const WRONG: [string, string, string | Buffer, RegExp, object?][] = [
  ['Windows', 'w.csv', Buffer.concat([Buffer.from(GOOD), Buffer.from('M-1,M\xfc\r\n', 'latin1')]), /^line 302, column 6: byte 0xfc is not UTF-8. In windows-1252 the line would read `M-1,M\u00fc`/], // prettier-ignore
  ['UTF-16 without a mark', 'v.csv', Buffer.from(GOOD, 'utf16le'), /^line 1, column 2: a zero byte/],
  ['a character cut off', 'y.csv', Buffer.from([0x61, 0xe2, 0x82]), /^line 1, column 2: byte 0xe2/],
  ['an empty file', '0.csv', '', /^line 1: the file is empty$/],
  ['values that are none, once', 'x.csv', `${GOOD}B-1,1,"52,32O",,\r\nB-2,1,heavy,,\r\n`, /^`Net Lbs`: 2 of 302 values are not numbers, first line 302: `52,32O`, line 303: `heavy` \(column 3\); .*"numbers"/], // prettier-ignore
  ['figures with their sign punched over the last', 'pu.csv', `${HEADER}B-1,1,0012},,\r\n`, /`Net Lbs`: 1 of 1 values is not a number, first line 2: `0012}` \(column 3\); if the last sign .* say "numbers": { "sign": "punched" }/], // prettier-ignore
  ['a date that is none', 'd.csv', `${GOOD}B-1,1,1,02/30/2026 10:00,\r\n`, /^`In`: 1 of 1 values is not a date by "dates" \["MM\/DD\/YYYY HH:mm"\], first line 302: `02\/30\/2026 10:00` \(column 4\)/], // prettier-ignore
  ['dates of another form, with what would fit', 'd2.csv', `${HEADER}B-1,1,1,2026-10-20 10:00:05,\r\n`, /"YYYY-MM-DD HH:mm:ss" would fit the first/], // prettier-ignore
  ['dates without "dates"', 'd3.csv', `${HEADER}B-1,1,1,10\/20\/2026 10:00,\r\n`.replaceAll('\\', ''), /not a date as the mapping has no "dates".*"MM\/DD\/YYYY HH:mm" would fit/, { dates: undefined }], // prettier-ignore
  ['a date with more behind it', 'd6.csv', `${HEADER}B-1,1,1,10/20/2026 10:00,\r\n`, /is not a date by "dates"/, { dates: ['MM/DD/YYYY'] }], // prettier-ignore
  ['dates without a zone', 'd4.csv', `${HEADER}B-1,1,1,10/20/2026 10:00,\r\n`, /says no offset.*"time_zone"/, { time_zone: undefined }], // prettier-ignore
  ['an hour that the clocks leave out', 'd5.csv', `${HEADER}B-1,1,1,03/08/2026 02:30,\r\n`, /clocks of America\/Chicago leave out/], // prettier-ignore
  ['no id', 'i.csv', `${GOOD},1001,1,,\r\n`, /^`Ticket #`: id is required, line 302 \(column 1\)/],
  [
    'an id with a control character',
    'k.csv',
    `${HEADER}A\u0007B,1,1,,\r\n`,
    /^`Ticket #`: id must be text of 1 to 128 characters.*control.*line 2/,
  ],
  ['an id twice', 'i2.csv', `${HEADER}A,1,1,,\r\nB,1,1,,\r\nA,2,1,,\r\n`, /^`A` is the id of line 2 and again of line 4/], // prettier-ignore
  ['a code that is not in "values", once', 'c.csv', `${HEADER}A,I,1,,\nB,X,1,,\nC,X,1,,\nD,Y,1,,\n`, /^`Cust`: 3 of 4 values are codes that "values" does not have, first line 3: `X`, line 4: `X`, line 5: `Y` \(column 2\); .*direction/, { record: { ...RECORD, account_id: { value: '1' }, direction: { from: 'Cust', values: { I: 'inbound' } } } }], // prettier-ignore
  ['a row too long', 's.csv', `${GOOD}B-1,1001,1,,,x\r\n`, /^a row has a cell more than the heading, which has 5, line 302: `x` \(column 6\)/], // prettier-ignore
  ['a quote that never closes', 'q.csv', `${GOOD}B-1,"1001\r\n${'x,\r\n'.repeat(9)}`, /^line 302, column 2: a quote is opened/], // prettier-ignore
  ['a row of 2 MiB', 'r.csv', `${GOOD}B-1,"${'x,\r\n'.repeat(300_000)}`, /^line 302.*: a row of more than 1 MiB/], // prettier-ignore
  ['a row of 16,385 cells', 'mc.csv', `${GOOD}${','.repeat(16_384)}\r\n`, /^line 302: a row of more than 16,384 cells, as no workbook has/], // prettier-ignore
  ['a column that is not there', 'm.csv', GOOD, /^line 1: the mapping names “Gross”, and the heading has no such column: Ticket #, Cust/, { record: { ...RECORD, gross_weight: 'Gross' } }], // prettier-ignore
  ['a column that is there twice', 't.csv', `Cust,${GOOD}`, /^line 1: the heading has “Cust” in column 1 and column 3/], // prettier-ignore
  ['no record', 'n.csv', GOOD, /^line 1: the mapping has no "record"/, asItIs],
  ['a name of the feed', 'g.csv', `${HEADER}T-1,1,1,,\r\n`, /^`Cust`: account is a name.*line 2: `1` \(column 2\)/m, { own_fields: ['account'], record: { id: 'Ticket #', account: 'Cust' } }], // prettier-ignore
  ['a list cut off', 'a.json', '[{"Ticket #":"C-1"},', /^line 1: the list does not end/m],
  ['an object cut off', 'b.ndjson', '{"Ticket #":"C-1"}\n{"Ticket', /^line 2: the file ends within this record/m], // prettier-ignore
  ['no object', 'c.json', '{"a":1}\n7', /^line 2, column 1: a record is an object/m, asItIs],
  ['no object in a list', 'c2.json', '[{"a":1},\n7]', /^line 2, column 1: a record is an object/m, asItIs],
  ['an id that loses digits', 'na.json', ' [{"é":"ü", "v":9007199254740993}]', /^line 1, column 17: a number with digits past 2\^53$/m], // prettier-ignore
  ['one in a later line of a record', 'nb.json', '{"a":1}\n\n {"b":\n{"ü":[1,\n -9007199254740993]}}', /^line 5, column 3: a number with digits past 2\^53$/m, asItIs], // prettier-ignore
  ['a number that is none', 'nc.json', '{"v":1e400}', /^line 1: a number that is not finite at v$/m],
  ['half a character', 'nd.json', '{"v":"\\ud800"}', /^line 1: an unpaired surrogate at v$/m],
  ['a member __proto__', 'ne.json', '{"v":{"__proto__":1}}', /^line 1: a key "__proto__" at v$/m],
  ['no JSON', 'nf.json', '{"a":1}\n{"v":1,}', /^line 2, column 8: not valid JSON$/m, asItIs],
  ['32 levels', 'ng.json', `{"v":${'['.repeat(32)}${']'.repeat(32)}}`, /^line 1: nested more than 32 levels deep$/m], // prettier-ignore
  ['26 levels, and those of the request', 'nh.json', `{"id":"1","account_id":"1","v":${'['.repeat(27)}${']'.repeat(27)}}`, /^as it is sent: nested more than 32 levels deep, line 1; /m, asItIs], // prettier-ignore
  ['a member twice', 'h.json', '[{"a":1,\n"a":2}]', /^line 1: .*a/],
  [
    'a record without end',
    'k.json',
    `[{"a":"${'x'.repeat(2 * 1024 * 1024)}`,
    /^line 1: a record of more than 1 MiB/,
  ],
  ['a decimal comma', 'l.csv', `${HEADER}T-1,1001,"52,34",,\r\n`, /^`Net Lbs`: 1 of 1 values is not a number, first line 2: `52,34`/], // prettier-ignore
  [
    'a figure by other signs',
    'l2.csv',
    `${HEADER}T-1,1001,1,,"14,2"\r\n`,
    /^`Moist`: 1 of 1 values is not a number/,
  ],
  ['records in a list that the mapping does not name', 'j.json', '{"made":"today","tickets":[{"Ticket #":"C-1","Cust":"1"}]}', /the records are in "tickets\[\]": name it as "property" in the "dialect"/], // prettier-ignore
  ['such a list of records that are sent as they are', 'j.json', '{"tickets":[{"id":"C-1","account_id":"1"}]}', /the records are in "tickets\[\]"/, asItIs], // prettier-ignore
  ['a column that no record has', 'j.json', '[{"Ticket #":"C-1","Cust":"1"}]', /the mapping names “Net Lbs”, “In”, “Moist”, and no record has it/], // prettier-ignore
  ['records that are deeper', 'p.json', '{"tickets":[]}', /there is nothing at "property": "loads\[\]"; there are tickets/, { dialect: { property: 'loads[]' } }], // prettier-ignore
  ['two items where one is named', 'm2.json', '{"Ticket #":"1","w":[{"k":"N","v":1},{"k":"N","v":2}]}', /^line 1: w\[k=N\]\.v is there 2 times/, { record: { id: 'Ticket #', net_weight: 'w[k=N].v' } }], // prettier-ignore
  ['rows that do not agree by "any_row"', 'gb.csv', 'a,k,n\nA,,5\nA,R,6\nA,R,6\nA,R,7\nB,S,1\nB,R,2\n', /^rows of one id do not agree in `net_weight`: `A` has "6" in line 3 and "7" in line 5, line 5;[^;]*condition/, { gather: true, record: { id: 'a', account_id: { value: '1' }, net_weight: [{ from: 'n', any_row: { k: 'S' } }, { from: 'n', any_row: { k: 'R' } }] } }], // prettier-ignore
  ['rows that do not agree', 'ga.csv', `${HEADER}A,1,5,,\nB,1,5,,\nA,1,6,,\n`, /`A` has "5" in line 2 and "6" in line 4/, { gather: true }], // prettier-ignore
  ['an old workbook', 'o.xlsx', Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0]), /old workbook/],
  ['a text called .xlsx', 'u.xlsx', GOOD, /is called .xlsx and is not a workbook/],
];

test.each(
  WRONG.map(([what, name, content, says, changes = {}]) => [what, name, content, says, changes] as const),
)('refuses %s, and says where', async (_, name, content, says, changes) => {
  expect((await problemsOf(write(name, content), changes)).join('\n')).toMatch(says);
});

test('what is right is counted, a byte order mark, blank lines, form feeds and cells that may be missing are nothing', async () => {
  const file = write('ok.csv', `\ufeff${HEADER}\n${rows(7)}\r\n\f\r\nB-1,1001\r\n\u001a`);
  const short = { dialect: { short_rows: 3 } };
  expect(await check(file, short)).toMatchObject({ problems: [], notes: [], records: { length: 8 } });
  expect(await problemsOf(file)).toEqual([
    expect.stringMatching(/^a row has 2 of 5 cells, line 12; .*"short_rows"/),
  ]);
  expect(await problemsOf(write('empty.json', '[]'), asItIs)).toEqual([]);
});

test('refuses a last row that was cut off before what "rows" asks for, and says where', async () => {
  const record = { id: 'id', account_id: 'account_id', net_weight: 'net_weight' };
  const mapping = { record, rows: { net_weight: { pattern: '\\d+' } } };
  const cut = write('cut.csv', 'id,account_id,net_weight\nT-1,1,5\nT-2,1');
  expect(await problemsOf(cut, mapping)).toEqual([
    expect.stringMatching(
      /^the last row has not all of its cells and no line end: the file was cut off, line 3; /,
    ),
  ]);
  expect(
    await problemsOf(write('foot.csv', 'id,account_id,net_weight\nT-1,1,5\n2 loads\n'), mapping),
  ).toEqual([]);
});

test('an account whose only phone has a word beside it is sent without phones, which keeps those it has', async () => {
  const record = { id: 'id', name: 'name', phones: ['home'] };
  const file = write('word.csv', 'id,name,home\n1,Meyer,(701)555-0142 Bud\n2,Olson,\n');
  const { records, notes, problems } = await check(file, { type: 'accounts', record });
  expect([problems, records]).toEqual([[], [{ id: '1', name: 'Meyer' }, { id: '2', name: 'Olson', phones: [] }]]); // prettier-ignore
  expect(notes.join()).toMatch(
    /1 of 1 values has words beside a phone and is left out, first line 2: `\(701\)555-0142 Bud`/,
  );
});

test('of gathered rows a phone with a word beside it, or no column of phones, keeps those the account has', async () => {
  const rows = 'id,name,home\n1,Meyer,(701)555-0142 Bud\n2,Olson,\n1,Meyer,\n3,Ray,7015550143\n';
  const file = write('words.csv', rows);
  const without = write('without.csv', 'id,name\n1,Meyer\n');
  const kept = [
    { id: '1', name: 'Meyer' },
    { id: '2', name: 'Olson', phones: [] },
    { id: '3', name: 'Ray', phones: [{ phone: '7015550143' }] },
  ];
  for (const phones of [['home'], { each: 'rows', item: { phone: 'home' } }]) {
    const mapping = { type: 'accounts' as const, gather: true, record: { id: 'id', name: 'name', phones } };
    expect((await check(file, mapping)).records).toEqual(kept);
    const lacking = { ...mapping, optional_columns: ['home'] };
    expect((await check(without, lacking)).records).toEqual([kept[0]]);
  }
});

test('refuses "fill_down" of objects, whose blanks would stay blank', async () => {
  const file = write('above.json', JSON.stringify([{ id: 'T-1', acct: '7', site: 'N' }, { id: 'T-2', acct: '8', site: '' }])); // prettier-ignore
  const record = { id: 'id', account_id: 'acct', elevator_id: 'site' };
  expect(await problemsOf(file, { record, fill_down: ['site'] })).toEqual([
    expect.stringMatching(/the mapping says "fill_down", which is of the rows of a table/),
  ]);
});

test('refuses a record that is sent as it is with a date of the year 26', async () => {
  const file = write(
    'year.json',
    JSON.stringify([{ id: '1', account_id: '7', weigh_in_at: '0026-10-05T08:00:00Z' }]),
  );
  expect(await problemsOf(file, asItIs)).toEqual([
    expect.stringMatching(/^`weigh_in_at` is of no year from 1990 to \d{4}, line 1: `0026-10-05T08:00:00Z`/),
  ]);
});

test('a row without an id, or one that the service refuses, is never shown as a record', async () => {
  const file = write('show.csv', 'id,account_id\n,1\nT-2,\nT-3,3\n');
  const mapping = { type: 'tickets' as const, record: { id: 'id', account_id: 'account_id' } };
  const { data, text, problems } = await showRecords(file, mapping, 3);
  expect(data).toEqual([
    { line: 4, cells: { id: 'T-3', account_id: '3' }, record: { id: 'T-3', account_id: '3' } },
  ]);
  expect(text).toMatch(/^line 4\n {2}id: T-3\n/);
  expect(problems.join()).toMatch(/id is required.*line 2.*account_id.*line 3/s);
});

test('of gathered rows the cells of each are shown, and what is left out is said', async () => {
  const file = write('show-rows.csv', 'Register\nn,a,p\n1,A,60\nTotal,,9\n2,C,100\n1,B,40\n');
  const record = { id: 'n', splits: { each: 'rows', item: { account_id: 'a', split_percent: 'p' } } };
  const rows = { n: { pattern: '\\d+' } };
  const { data, text, notes } = await showRecords(file, { type: 'tickets', gather: true, rows, record }, 1);
  const splits = [
    { account_id: 'A', split_percent: '60' },
    { account_id: 'B', split_percent: '40' },
  ];
  const cells = [
    { line: 3, cells: { n: '1', a: 'A', p: '60' } },
    { line: 6, cells: { n: '1', a: 'B', p: '40' } },
  ];
  expect(data).toEqual([{ line: 3, rows: cells, record: { id: '1', splits } }]);
  expect(text).toMatch(/^line 3\n {2}n: 1\n {2}a: A\n {2}p: 60\nline 6\n {2}n: 1\n {2}a: B\n {2}p: 40\n\{/);
  expect(notes).toEqual(['left out, above the heading: line 1', 'left out, not in "rows": line 4']);
});

test('a record that is sent as it is may hold a list of objects with more members than itself', async () => {
  const splits = [{ account_id: '1', percent: '60', name: 'A', county: 'Cass' }];
  expect(await problemsOf(write('as.json', JSON.stringify({ id: 'C-1', splits })), asItIs)).toEqual([]);
});

test.each([';', '\t', '|'])('the delimiter %j is found by the heading, and said', async (mark) => {
  const file = write('mark.csv', `Report, all\n${HEADER}T-1,1001,5,,\n`.replaceAll(',', mark));
  expect(await check(file)).toMatchObject({
    records: [{ id: 'T-1', account_id: '1001', net_weight: '5' }],
    notes: [`the delimiter is ${JSON.stringify(mark)}`, 'left out, above the heading: line 1'],
  });
});

test('values are as the schema of their field wants them, where that is plain', async () => {
  const record = {
    id: 'id',
    splits: [
      { account_id: 'none', disposition: { value: 'on_hold' } },
      { account_id: 'who', split_percent: 'share', disposition: { value: 'priced' } },
    ],
    driver_on: 'on',
    weigh_in_at: 'at',
    status: { value: 'complete' },
    n: { value: 5 },
    x: 'x',
  };
  const file = write(
    'v.csv',
    'id,none,who,share,on,at,x\n 1 ,,1001,"-1,234.50",Yes,2026-10-20T08:41:00Z,  \n',
  );
  expect(await recordsOf(file, { record, own_fields: ['n', 'x'] })).toEqual([
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
  const record = { id: 'a', name: 'b', phones: ['c'], deleted_at: 'd', own: 'e' };
  const file = write('pasted.csv', `\u200ea,b\u00a0,c,d,e\n\u202dA\u200b1\u202c,\u00a0Mey\u00ader\u2060,\u202d(701)\u00a0555\u20110142\u202c,\u200e1/5/2026\u00a08:41\u202fAM,\u200b\n`); // prettier-ignore
  const changes = { type: 'accounts', record, own_fields: ['own'], dates: ['MM/DD/YYYY hh:mm A'], time_zone: 'UTC' }; // prettier-ignore
  expect(await recordsOf(file, changes)).toEqual([{ id: 'A\u200b1', name: 'Mey\u00ader', phones: [{ phone: '7015550142' }], deleted_at: '2026-01-05T08:41:00Z' }]); // prettier-ignore
  const figures = write('figures.csv', 'a,b,c\nT-1,\uff11,\u200e1\u00a0\nT-2,1,yes\u2060\n');
  const others = { record: { id: 'a', account_id: { value: '1' }, net_weight: 'b', driver_on: 'c' } };
  expect(await recordsOf(figures, others)).toEqual(['T-1', 'T-2'].map((id) => ({ id, account_id: '1', net_weight: '1', driver_on: true }))); // prettier-ignore
});

test('a heading may have a line break or another blank where the mapping has a blank', async () =>
  expect(await recordsOf(write('nbsp.csv', '"Ticket\n#",Cust\u00a0No\n1,2\n'), { record: { id: 'Ticket #', account_id: 'Cust No' } })).toEqual([{ id: '1', account_id: '2' }])); // prettier-ignore

test('a field may have the name of what every object inherits', async () => {
  const record = { id: 'a', constructor: 'b', toString: 'c', account_id: { value: '1' } };
  const file = write('inherited.csv', 'a,b,c\n1,2,3\n');
  expect(await recordsOf(file, { record, own_fields: ['constructor', 'toString'] })).toEqual([
    { id: '1', constructor: '2', toString: '3', account_id: '1' },
  ]);
});

test.each<[string, object, RegExp]>([
  ['a field that is misspelt', { record: { ...RECORD, net_wieght: 'x' } }, /record\.net_wieght is not a field: is it net_weight\?; name .*"own_fields"/],
  ['one of an item', { record: { id: 'a', splits: [{ acount_id: 'x' }] } }, /record\.splits\.acount_id is not a field: is it account_id\?; name "splits\.acount_id"/],
  ['a field of the items of a list', { record: { ...RECORD, contract_id: 'x' } }, /record\.contract_id is not a field, but one of the items of splits, applications; name/],
  ['a member of a source that is none', { record: { id: { form: 'a' } } }, /record\.id\.form is not a member: there are from, pattern, join/],
  ['neither column nor value', { record: { id: {} } }, /record\.id must have "from" or "value"/],
  ['a source that is a number', { record: { id: 5 } }, /record\.id must be a column/],
  ['no id', { record: { account_id: 'x' } }, /record\.id is missing/],
  ['a type that is none', { type: 'loads' }, /type must be one of elevators, accounts/],
  ['no type', { type: undefined }, /type is missing/],
  ['a member that is none', { colums: {} }, /colums is not a member: there are type, dialect/],
  ['the form of before', { columns: { a: 'id' } }, /columns is not a member/],
  ['a zone that does not exist', { time_zone: 'Dakota' }, /time_zone Dakota is not a time zone/],
  ['dates without a year', { dates: ['MM/DD'] }, /dates\.0 must be|dates has "MM\/DD", which is not a form/],
  ['dates in small letters', { dates: ['mm/dd/yyyy'] }, /dates has "mm\/dd\/yyyy", which is not a form: .*in these letters/],
  ['dates that are no list', { dates: 'MM/DD/YYYY' }, /dates must be a list of forms/],
  ['one sign for both', { numbers: { decimal_char: ',', group_char: ',' } }, /numbers has the same sign for both/],
  ['a list by rows that is not gathered', { record: { id: 'a', splits: { each: 'rows', item: { account_id: 'b' } } } }, /record\.splits has "each": "rows", which needs "gather": true/],
  ['a list by rows and side by side', { gather: true, record: { id: 'a', splits: [{ each: 'rows', item: { account_id: 'b' } }, { account_id: 'c' }] } }, /record\.splits is gathered by rows and stands side by side as well/],
  ['items that are always there', { record: { id: 'a', splits: [{ disposition: { value: 'priced' }, account_id: 'b' }] } }, /record\.splits\.disposition stands first and always has a value/],
  ['a condition that is none', { rows: 'Ticket' }, /rows must be \{ column: test \}/],
  ['a test that is none', { rows: { Ticket: 5 } }, /rows\.Ticket must be a text/],
  ['a part of a date twice', { dates: ['MM/DD/YYYY HH:mm:mm'] }, /dates has "MM\/DD\/YYYY HH:mm:mm", which is not a form/],
  ['a meaning for cells that are blank', { record: { ...RECORD, direction: { from: 'In', values: { '': 'outbound' } } } }, /record\.direction\.values has "", and a blank cell is no code/],
  ['columns that end before they begin', { dialect: { format: 'fixed', columns: { Ticket: [8, 1] } } }, /dialect\.columns\.Ticket ends before it begins/],
  ['what reads cells, and no record to read them for', { record: undefined, missing_values: ['N/A'], dates: undefined, time_zone: undefined }, /missing_values needs "record"/],
  ['a pattern that is none', { rows: { Ticket: { pattern: '(' } } }, /rows\.Ticket\.pattern is not a regular expression/],
])('refuses a mapping with %s, and names the member', async (_, changes, says) => {
  await expect(mapping(changes)).rejects.toThrow(says);
}); // prettier-ignore

test.each([
  ['MM/DD/YYYY HH:mm', 'America/Chicago', '1/5/2026 8:41', '2026-01-05T08:41:00-06:00'],
  ['MM/DD/YYYY HH:mm', 'America/Chicago', '03/08/2026 01:59', '2026-03-08T01:59:00-06:00'],
  ['MM/DD/YYYY HH:mm', 'America/Chicago', '03/08/2026 03:00', '2026-03-08T03:00:00-05:00'],
  ['MM/DD/YYYY HH:mm', 'America/Chicago', '11/01/2026 01:30', '2026-11-01T01:30:00-05:00'],
  ['MM/DD/YYYY HH:mm', 'America/Chicago', '11/01/2026 02:00', '2026-11-01T02:00:00-06:00'],
  ['MM/DD/YYYY', 'America/Chicago', '11/01/2026', '2026-11-01T00:00:00-05:00'],
  ['MM/DD/YYYY', 'America/Santiago', '09/06/2026', '2026-09-06T04:00:00.000Z'], // begins at 01:00
  ['DD.MM.YYYY hh:mm:ss A', 'UTC', '20.10.2026 12:05:09 AM', '2026-10-20T00:05:09Z'],
  ['DD.MM.YYYY hh:mm A', 'Asia/Kolkata', '20.10.2026 1:05 pm', '2026-10-20T13:05:00+05:30'],
  ['YYYYMMDD', 'UTC', '20261020', '2026-10-20T00:00:00Z'],
  ['YYMMDDHHmm', 'UTC', '3510200805', '2035-10-20T08:05:00Z'],
  ['D-MMM-YY h:m A', 'UTC', '7-Oct-90 9:05 p.m.', '1990-10-07T21:05:00Z'],
  ['X', undefined, '1791230400', '2026-10-05T20:00:00.000Z'],
  ['MM/DD/YYYY HHmmss', 'UTC', '10/05/2026 3059', '2026-10-05T00:30:59Z'],
  ['YYYYDDD', 'UTC', '2024366', '2024-12-31T00:00:00Z'],
  ['YYYY-MM-DD HH:mm:ss.SSS', 'UTC', '2026-10-05 08:04:11.213', '2026-10-05T08:04:11.213Z'],
  ['YYYY-MM-DD HH:mm:ssZ', undefined, '2026-10-05 08:04:11+0200', '2026-10-05T08:04:11+02:00'],
  ['MM/DD/YYYY', 'UTC', '00/00/0000', undefined],
  ['MM/DD/YYYY', 'UTC', '  /  /', undefined],
])('dates as %s in %s: %s', async (form, time_zone, text, weigh_in_at) => {
  const record = { id: 'a', account_id: 'a', weigh_in_at: 'b' };
  const found = await recordsOf(write('dates.csv', `a,b\n1,${text}\n`), { record, dates: [form], time_zone });
  expect(found).toEqual([{ id: '1', account_id: '1', weigh_in_at }]);
});

test('where two forms fit the first wins, and the report says how many fit both', async () => {
  const file = write('two.csv', 'a,b\n1,01/02/2026\n2,05/05/2026\n3,25/12/2026\n');
  const record = { id: 'a', account_id: 'a', contract_date: 'b' };
  expect(await check(file, { type: 'contracts', record, dates: ['MM/DD/YYYY', 'DD/MM/YYYY'] })).toMatchObject(
    {
      problems: [],
      records: [
        { contract_date: '2026-01-02' },
        { contract_date: '2026-05-05' },
        { contract_date: '2026-12-25' },
      ],
      notes: ['`b`: 1 of 3 dates fit two forms of "dates", and are read by the first'],
    },
  );
});

test.each([
  ['1,234.50', '1234.50'],
  ['.5', '0.5'],
  ['(35)', '-35'],
  ['35-', '-35'],
  ['35 CR', '-35'],
  ['$1,234', '1234'],
  ['-$12.50', '-12.50'],
  ['\u20ac 5', '5'],
  ['33.33%', '33.33'],
  ['+7', '7'],
])('the number %s is %s', async (text, expected) => {
  const record = { id: 'a', account_id: 'a', net_weight: 'b' };
  expect(await recordsOf(write('n.csv', `a,b\n1,"${text}"\n`), { record })).toMatchObject([{ net_weight: expected }]); // prettier-ignore
});

test.each(['1,23', '12,34,567', '1,234,5', '--5', '5--', '-(5)', '12 lb', '1.2.3', '1e5', '5,', '5.', 'O'])(
  'the number %s is refused',
  async (text) => {
    const record = { id: 'a', account_id: 'a', net_weight: 'b' };
    expect((await problemsOf(write('n.csv', `a,b\n1,"${text}"\n`), { record })).join()).toContain(
      'not a number',
    );
  },
);

test.each<[string, string[] | undefined]>([
  ['(701) 555-0142 x12', ['7015550142']],
  ['7015550142x12', ['7015550142']],
  ['701-555-0142 ext. 4', ['7015550142']],
  ['1-701-555-0142', ['7015550142']],
  ['701/555-0142', ['7015550142']],
  ['701-555-0150 / 701-555-0151; 555-0152', ['7015550150', '7015550151', '7015550152']],
  ['701-555-0150 x1, 701-555-0151 x2', ['7015550150', '7015550151']],
  ['(000) 000-0000', []],
  ['555-0142', ['7015550142']],
  ['NONE', undefined],
  ['70155501421', undefined],
  ['5550', undefined],
])('the phone %s', async (text, expected) => {
  const changes = {
    type: 'accounts',
    phones: { area_code: '701' },
    record: { id: 'a', name: 'a', phones: ['b'] },
  };
  const { records, problems } = await check(write('p.csv', `a,b\n1,"${text}"\n`), changes);
  if (expected)
    expect([records, problems]).toEqual([[{ id: '1', name: '1', phones: expected.map((phone) => ({ phone })) }], []]); // prettier-ignore
  else expect(problems.join()).toContain('is not a phone of ten digits');
});

test('a source: alternatives, parts, conditions, codes, factors and values that are none', async () => {
  const record = {
    id: { from: ['loc', 'no'], join: '-' },
    account_id: ['acct', 'other'],
    ticket_number: { from: ['loc', 'acct'], join: '/' },
    truck_name: { from: ['acct', 'other'] },
    status: { from: 'st', values: { V: 'void', X: null, '*': 'keep' } },
    void_reason: { from: 'why', where: { st: ['V', 'W'] } },
    net_weight: { from: 'net', multiply: -0.5 },
    splits: [{ account_id: { from: 'acct', missing_values: ['0'] }, split_percent: { value: 100 } }],
  };
  const text = 'loc,no,acct,other,st,why,net\n1,2,,9,V,late,10\n1,3,0,,X,lost,\n1,4,8,7,complete,N/A,0.3\n';
  expect(await recordsOf(write('s.csv', text), { record, missing_values: ['N/A'] })).toEqual([
    { id: '1-2', account_id: '9', truck_name: '9', status: 'void', void_reason: 'late', net_weight: '-5' },
    { id: '1-3', account_id: '0', ticket_number: '1/0', truck_name: '0' },
    { id: '1-4', account_id: '8', ticket_number: '1/8', truck_name: '8 7', status: 'complete', net_weight: '-0.15', splits: [{ account_id: '8', split_percent: 100 }] }, // prettier-ignore
  ]);
});

test('what encloses a record in JSON may stand behind it', async () => {
  const content = { meta: { at: 'x' }, sites: [{ tickets: [{ n: 1 }, { n: 2 }], code: 'A', address: { state: 'ND' } }, { tickets: null, code: 'B' }, { tickets: [{ n: 1 }], code: 'C' }] }; // prettier-ignore
  const record = {
    id: { from: ['sites[].code', 'n'], join: '-' },
    account_id: { value: '1' },
    state: 'sites[].address.state',
  };
  const changes = {
    record,
    dialect: { property: 'sites[].tickets[]' },
    optional_columns: ['sites[].address.state'],
  };
  expect(await recordsOf(write('e.json', JSON.stringify(content)), changes)).toEqual([
    { id: 'A-1', account_id: '1', state: 'ND' },
    { id: 'A-2', account_id: '1', state: 'ND' },
    { id: 'C-1', account_id: '1' },
  ]);
});

test('of what encloses a record in JSON, an item of a list is taken by its place or by what it has', async () => {
  const codes = [
    { kind: 'A', value: 'ND' },
    { kind: 'B', value: 'MN' },
  ];
  const content = { sites: [{ tags: ['x', 'y'], meta: { codes }, tickets: [{ n: 1 }] }] };
  const record = {
    id: { from: ['sites[].tags[1]', 'n'], join: '-' },
    account_id: { value: '1' },
    state: 'sites[].meta.codes[kind=B].value',
  };
  const changes = { record, dialect: { property: 'sites[].tickets[]' } };
  expect(await recordsOf(write('f.json', JSON.stringify(content)), changes)).toEqual([
    { id: 'y-1', account_id: '1', state: 'MN' },
  ]);
  codes.push({ kind: 'B', value: 'SD' });
  expect(await problemsOf(write('g.json', JSON.stringify(content)), changes)).toEqual([
    expect.stringContaining('sites[].meta.codes[kind=B].value is there 2 times'),
  ]);
});

test.each([
  [{ exported: 'x', tickets: [] }, 'tickets[]'],
  [{ sites: [{ code: 'N', tickets: [] }] }, 'sites[].tickets[]'],
  [{ exported: 'x', sites: [] }, 'sites[].tickets[]'],
])('a day without loads is a file without a record: %j', async (content, property) => {
  const file = write('none.json', JSON.stringify(content));
  const record = { id: 'n', account_id: { value: '1' } };
  expect(await check(file, { record, dialect: { property } })).toMatchObject({ records: [], problems: [] });
});

test('a list, or a member of its items, that no record has is remarked', async () => {
  const content = [{ n: '1', owners: [{ acct: 'A', pct: 60 }] }];
  const file = write('owners.json', JSON.stringify(content));
  const notesOf = async (each: string, item: object) =>
    (await check(file, { record: { id: 'n', account_id: { value: '1' }, splits: { each, item } } })).notes;
  expect(await notesOf('owners[]', { account_id: 'acct', split_percent: 'pct' })).toEqual([]);
  expect(await notesOf('ownrs[]', { account_id: 'acct' })).toEqual([
    'no record has the list “ownrs”, of which the mapping makes items',
  ]);
  expect(await notesOf('owners[]', { account_id: 'acct', split_percent: 'pctt' })).toEqual([
    'no item has “pctt”, which the mapping names',
  ]);
  content[0]!.owners = [];
  write('owners.json', JSON.stringify(content));
  expect(await notesOf('owners[]', { account_id: 'acct' })).toEqual([]);
});

test('an id of an item whose first field is empty is remarked, and zeros, codes and what "where" leaves out are not', async () => {
  const item = { account_id: 'o', split_percent: 'p', contract_id: 'c', disposition: 'd' };
  const file = write('lost.csv', 'n,o,p,c,d\n1,A,60,C-1,x\n2,,0,C-2,x\n3,,0.00 %,,x\n');
  const notesOf = async (account_id: unknown) =>
    (await check(file, { record: { id: 'n', account_id: { value: '1' }, splits: { ...item, account_id } } }))
      .notes;
  expect(await notesOf('o')).toEqual([
    expect.stringMatching(
      /^`c` has a value for splits\.contract_id where splits\.account_id.* line 3: `C-2` \(column 4\)/,
    ),
  ]);
  expect(await notesOf({ from: 'o', where: { o: { not: '' } } })).toEqual([]);
});

test('a part of an id that a spreadsheet has shortened is no part', async () => {
  const record = { id: { from: ['loc', 'n'], join: '-' }, account_id: { value: '1' } };
  const file = write('short.csv', 'loc,n\n010,1.20418E+11\n');
  expect(await problemsOf(file, { record })).toEqual([
    expect.stringContaining('is a number that a spreadsheet has altered, first line 2: `1.20418E+11`'),
  ]);
});

test('an account keeps its phones where the file has no column of them, and loses them where that is blank', async () => {
  const changes = {
    type: 'accounts',
    record: { id: 'a', name: 'a', phones: ['Home', 'Cell'] },
    optional_columns: ['Home', 'Cell'],
  };
  expect(await recordsOf(write('no-phones.csv', 'a,b\n1,2\n'), changes)).toEqual([{ id: '1', name: '1' }]);
  expect(await recordsOf(write('blank.csv', 'a,Cell\n1,\n'), changes)).toEqual([
    { id: '1', name: '1', phones: [] },
  ]);
});

test('rows of one id are one record, wherever they stand, and each list by rows has its items in their order', async () => {
  const record = {
    id: 'a',
    account_id: { value: '1' },
    net_weight: 'n',
    splits: { each: 'rows', item: { account_id: 's' } },
  };
  const file = write('gather.csv', 'a,n,s\n1,5,x\n2,,y\n1,,y\n2,7,x\n1,5,x\n');
  expect(await recordsOf(file, { record, gather: true })).toEqual([
    {
      id: '1',
      account_id: '1',
      net_weight: '5',
      splits: ['x', 'y', 'x'].map((account_id) => ({ account_id })),
    },
    { id: '2', account_id: '1', net_weight: '7', splits: ['y', 'x'].map((account_id) => ({ account_id })) },
  ]);
});

test('a file whose columns have fixed places', async () => {
  const dialect = { columns: { no: [1, 4], acct: [5, 8], net: [9, 12] } };
  const record = { id: 'no', account_id: 'acct', net_weight: 'net' };
  const file = write('fixed.txt', 'LOADS\r\n00010417  52\r\n00020418   7\r\n');
  expect(await check(file, { dialect, record, rows: { no: { pattern: '\\d{4}' } } })).toMatchObject({
    records: [
      { id: '0001', account_id: '0417', net_weight: '52' },
      { id: '0002', account_id: '0418', net_weight: '7' },
    ],
    notes: ['left out, not in "rows": line 1'],
  });
});

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
  const text = anyText.map((any) => any.replaceAll('\0', ''));

  test('its bytes are the same', () =>
    fc.assert(
      fc.asyncProperty(text, sizes, fc.boolean(), async (given, lengths, marked) => {
        const bytes = Buffer.from(`${marked ? '\ufeff' : ''}x${given}`);
        const passed: Buffer[] = [];
        for await (const chunk of plainText(chunked(bytes, lengths))) passed.push(chunk);
        expect(Buffer.concat(passed).toString()).toBe(`x${Buffer.from(given).toString()}`);
      }),
    ));

  slowTest('its objects are the same', () =>
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
    ),
  );

  slowTest('its rows are the same, and each knows its line', () =>
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
    ),
  );
  const wellFormed = (cell: string) => Buffer.from(cell).toString();

  test('of a row of millions of cells only the first few MiB are read', async () => {
    let chunks = 0;
    async function* commas() {
      yield Buffer.from('a,b\n');
      for (; chunks < 320; chunks++) yield Buffer.alloc(64 * 1024, ',');
    }
    const reading = (async () => {
      for await (const { line } of readRows(commas(), ',')) expect(line).toBe(1);
    })();
    await expect(reading).rejects.toThrow('line 2: a row of more than 16,384 cells');
    expect(chunks).toBeLessThan(100);
  });
});
