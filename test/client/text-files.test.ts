import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { readHeads } from '../../cli/read-heads';
import { draftMapping } from '../../client/push/draft-mapping';
import { readMapping } from '../../client/push/mapping';
import type { Mapping } from '../../client/push/mapping-schema';
import { Reading } from '../../client/push/reading';
import { readRecords } from '../../client/push/read-records';
import { readTarget } from '../../client/service/read-target';
import { temporaryFolder } from '../setup/temporary-folder';
import { BROKEN_ENCODINGS, ENCODINGS, LINE_ENDS } from '../setup/text-encodings';

// Every file that gdx is given to read, as other programs write it.

const folder = temporaryFolder('text-files');
function write(name: string, bytes: Buffer): string {
  writeFileSync(path.join(folder, name), bytes);
  return path.join(folder, name);
}

const TOKEN = `gdx_erp_test_${'a'.repeat(36)}`;
const HASH = 'ab'.repeat(32);
const MAPPING = { type: 'accounts', record: { id: 'Nr', name: 'Näme' } } satisfies Mapping;
const RECORDS = [
  { id: '1', name: 'Müller 🌾' },
  { id: '2', name: 'Õun' },
];

async function recordsOf(file: string, mapping: Mapping): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const { record } of readRecords(file, mapping, new Reading())) found.push(record);
  return found;
}

/** Each kind of file: its text by lines, how it is read, and what is read. */
const KINDS: Record<string, [lines: string[], read: (bytes: Buffer) => unknown, expected: unknown]> = {
  'a mapping': [
    JSON.stringify(MAPPING, null, 1).split('\n'),
    (bytes) => readMapping(write('m.json', bytes)),
    MAPPING,
  ],
  'a token': [
    [TOKEN, ''],
    async (bytes) =>
      (
        await readTarget({ url: 'https://a.example', token: '', signingSecret: '' }, 'erp', {
          tokenFile: write('token', bytes),
        })
      ).token,
    TOKEN,
  ],
  'heads of the ledger': [
    ['posted:', `acme/12:${HASH}, bison/1:${HASH}`],
    (bytes) => [...readHeads(write('heads.log', bytes)).keys()],
    ['acme', 'bison'],
  ],
  CSV: [['Nr,Näme', '1,Müller 🌾', '2,Õun'], (bytes) => recordsOf(write('a.csv', bytes), MAPPING), RECORDS],
  'a draft’s CSV': [
    ['Id,Name', '1,Müller'],
    (bytes) => draftMapping(write('d.csv', bytes), 'accounts'),
    { type: 'accounts', record: { id: 'Id', name: 'Name' } },
  ],
  NDJSON: [
    RECORDS.map((record) => JSON.stringify(record)),
    (bytes) => recordsOf(write('a.ndjson', bytes), { type: 'accounts' }),
    RECORDS,
  ],
  JSON: [
    JSON.stringify(RECORDS, null, 1).split('\n'),
    (bytes) => recordsOf(write('a.json', bytes), { type: 'accounts' }),
    RECORDS,
  ],
};

describe.each(Object.entries(KINDS))('%s', (_, [lines, read, expected]) => {
  test.each(Object.entries(ENCODINGS))('is read as %s, whatever ends its lines', async (_name, encode) => {
    for (const end of LINE_ENDS) expect(await read(encode(lines.join(end)))).toEqual(expected);
  });

  test.each(Object.entries(BROKEN_ENCODINGS))('is refused by name as %s', async (_name, [encode, says]) => {
    const refused = await Promise.resolve()
      .then(() => read(encode(lines[0]!)))
      .catch((error: Error) => error.message);
    // A draft says the encoding instead.
    if (read === KINDS['a draft’s CSV']![1] && _name === 'Windows-1252')
      return expect(refused).toMatchObject({ dialect: { encoding: 'windows-1252' } });
    expect(refused).toMatch(says);
  });
});

test('heads are not looked for in vain', () =>
  expect(() => readHeads(write('none.log', Buffer.from('acme/12')))).toThrow(/has no head/));
