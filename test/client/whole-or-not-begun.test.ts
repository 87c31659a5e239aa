import fc from 'fast-check';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Mapping } from '../../client/push/mapping-schema';
import { createProgress } from '../../client/push/progress';
import { createPushClient } from '../../client/push/push-client';
import { pushFile } from '../../client/push/push-file';
import { findRecord } from '../../store/records/records';
import { type Api, integrationToken, startApi } from '../api/start-api';
import { storedOf } from '../api/stored-of';
import { anyText } from '../setup/any-text';
import { played, slowTest, nightlyTest } from '../setup/cases';
import { temporaryFolder } from '../setup/temporary-folder';
import { BROKEN_ENCODINGS, ENCODINGS } from '../setup/text-encodings';

// What the check of a file lets through, the service takes (docs/contract.md E15): each file here has the questionable record
// between good ones, and each record is a request.

const folder = temporaryFolder('whole');
let api: Api;
let token: string;
beforeAll(async () => {
  api = await startApi({ limits: { requestsPerMinute: 1e9 } });
  token = await integrationToken(api.store);
});
beforeEach(() => void jest.spyOn(process.stderr, 'write').mockReturnValue(true));
afterEach(() => void jest.restoreAllMocks());

let files = 0;

/** @returns how many records were stored, or why the file was not pushed */
async function push(name: string, content: string | Buffer, mapping: Mapping): Promise<number | string> {
  const file = path.join(folder, `${++files}-${name}`);
  writeFileSync(file, content);
  const url = `http://127.0.0.1:${api.port}`;
  const client = createPushClient({ url, token, retryForMs: 0, onWait: () => {} });
  const orders = { client, mapping, batchSize: 1, dryRun: false, again: false, target: 'here' };
  const progress = createProgress({ write: () => true });
  return pushFile(file, { ...orders, progress }).then(
    ({ records }) => records,
    (error: Error) => error.message.replace(`${file} was not pushed: `, ''),
  );
}

const ACCOUNTS: Mapping = { type: 'accounts' };
/** The third of four records has it as its member `v`. */
const fourWith = (v: string, between = '\n') =>
  ['{"id":"s1","name":"N"}', '{"id":"s2","name":"N"}', `{"id":"s3","name":"N","v":${v}}`, '{"id":"s4","name":"N"}'].join(between); // prettier-ignore
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
async function fed(id: string): Promise<string> {
  return String((await findRecord(api.store, 'accounts', `42-${id}`))!.wire);
}

const STORED = [
  ['1e20', '100000000000000000000'],
  ['-1E20', '-100000000000000000000'],
  ['1e21', '1e+21'],
  ['1.7976931348623157e308', '1.7976931348623157e+308'],
  ['9007199254740992', '9007199254740992'],
  ['-0', '-0'],
  ['5e-324', '5e-324'],
  ['0.1234567890123456789', '0.12345678901234568'],
  [nested(26), nested(26)],
  ['"\\ud83c\\udf3e\\u0000"', '"🌾\\u0000"'],
] as const;

slowTest.each(['ndjson', 'json'])('a file with unusual values is stored whole: .%s', async (kind) => {
  const lines = STORED.map(([v], index) => `{"id":"${kind}-${index}","name":"N","v":${v}}`);
  const content = kind === 'json' ? `[${lines.join(',')}]` : lines.join('\n');
  expect(await push(`a.${kind}`, content, ACCOUNTS)).toBe(STORED.length);
  for (const [index, [, wire]] of STORED.entries())
    expect(await fed(`${kind}-${index}`)).toContain(`"v":${wire},`);
});

test.each([
  ['9007199254740993', /^line 3, column 27: a number with digits past 2\^53$/],
  [nested(27), /^as it is sent: nested more than 32 levels deep, line 3; /],
])('nothing is sent of a file with %s, and it is said where', async (v, says) => {
  const before = await storedOf(api.store);
  expect(await push('b.ndjson', fourWith(v), ACCOUNTS)).toMatch(says);
  expect(await storedOf(api.store)).toEqual(before);
});

slowTest('what a mapping adds is checked as it is sent', async () => {
  const named = async (more: Mapping['record']) =>
    push('c.json', `[${fourWith('1e20', ',')}]`, {
      ...ACCOUNTS,
      own_fields: ['v', 'w', 'x', 'account'],
      optional_columns: ['v'],
      record: { id: 'id', name: 'name', v: 'v', ...more },
    });
  expect(await named({ w: { value: 1e20 }, x: { value: -0 } })).toBe(4);
  expect(await fed('s3')).toMatch(/"v":100000000000000000000,"w":100000000000000000000,"x":-0,/);
  const before = await storedOf(api.store);
  expect(await named({ account: { value: 'x' } })).toMatch(/^account is a name that the feed gives.*line 1/);
  expect(await named({ w: { value: '\ud800' } })).toMatch(
    /^as it is sent: an unpaired surrogate at w.*line 1/,
  );
  expect(await storedOf(api.store)).toEqual(before);
});

nightlyTest(
  'a record that a mapping makes too large to be stored is named, and nothing is sent',
  async () => {
    const made = (prefix: string) => {
      const record = Object.fromEntries(Array.from({ length: 16 * 1024 }, (_, index) => [`${prefix}${index}`, { value: '\u0001'.repeat(160) }])); // prettier-ignore
      return { own_fields: Object.keys(record), record: { id: 'id', name: 'name', ...record } };
    };
    const [one, other] = [made('f'), made('g')];
    const before = await storedOf(api.store);
    expect(await push('d.csv', 'id,name\n1,N\n', { ...ACCOUNTS, ...one })).toMatch(/^is larger than 15 MiB as it is stored, line 2/); // prettier-ignore
    const both = {
      own_fields: [...one.own_fields, ...other.own_fields],
      record: { ...one.record, ...other.record },
    };
    expect(await push('d.csv', 'id,name\n1,N\n', { ...ACCOUNTS, ...both })).toMatch(/^makes a request of more than 16 MiB, line 2/); // prettier-ignore
    expect(await storedOf(api.store)).toEqual(before);
  },
);

describe('whatever is in a file, it is stored whole or not begun:', () => {
  const number = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constantFrom(1e20, -0, 2 ** 53, 1e21)).map(String); // prettier-ignore
  const spelt = fc.oneof(number, fc.constantFrom('1e400', '9007199254740993', '9007199254740993.0', '90071992547409930e-1', '12345678901234567890.5', '1E+20')); // prettier-ignore
  const text = fc.oneof(anyText, fc.constantFrom('\ud800', '\u0000', '__proto__', 'account', 'toJSON')).map((any) => JSON.stringify(any)); // prettier-ignore
  const value = fc.letrec<{ any: string }>((tie) => ({
    any: fc.oneof(
      { depthSize: 'large', maxDepth: 31 },
      spelt,
      text,
      fc.array(tie('any'), { maxLength: 2 }).map((items) => `[${items.join(',')}]`),
      fc.array(fc.tuple(text, tie('any')), { maxLength: 2 }).map((members) => `{${members.map((pair) => pair.join(':')).join(',')}}`), // prettier-ignore
    ),
  })).any;

  const saved = fc.constantFrom(
    ...Object.values(ENCODINGS),
    ...Object.values(BROKEN_ENCODINGS).map(([encode]) => encode),
  );

  const isWholeOrNotBegun = async (name: string, content: Buffer, mapping: Mapping, records: number) => {
    const before = await storedOf(api.store);
    const outcome = await push(name, content, mapping);
    if (outcome === records) return;
    expect(outcome).toMatch(/\bline \d/);
    expect(await storedOf(api.store)).toEqual(before);
  };

  slowTest('NDJSON and JSON', () =>
    fc.assert(
      fc.asyncProperty(value, fc.boolean(), saved, async (v, isList, save) => {
        const content = isList ? `[${fourWith(v, ',')}]` : fourWith(v);
        await isWholeOrNotBegun(isList ? 'e.json' : 'e.ndjson', save(content), ACCOUNTS, 4);
      }),
      played(5, 300),
    ),
  );

  slowTest('CSV', () =>
    fc.assert(
      fc.asyncProperty(fc.array(anyText, { minLength: 3, maxLength: 3 }), saved, async (cells, save) => {
        const record = { id: 'a', name: 'b', phones: ['c'] };
        const quoted = cells.map((cell) => `"${cell.replaceAll('\0', '').replaceAll('"', '""')}"`);
        await isWholeOrNotBegun(
          'f.csv',
          save(`a,b,c\n1,N,7015550142\n${quoted.join(',')}\n2,N,\n`),
          { ...ACCOUNTS, record },
          3,
        );
      }),
      played(5, 300),
    ),
  );
});
