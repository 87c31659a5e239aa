import fc from 'fast-check';
import { CanonicalJson } from '../../domain/records/canonical-json';
import { MalformedBody, parseStrictJson } from '../../domain/records/strict-json';
import { played, scaledTest } from '../setup/cases';
import { EXPONENTS, FARTHEST, type Spelling, spellNumber } from '../fuzz/spell-number';

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

const membersOf = (count: number) =>
  `{${Array.from({ length: count }, (_, index) => `"${index}":0`).join()}}`;
const namesOf = (count: number) =>
  `[${Array.from({ length: count }, (_, index) => `{"n${index}":0}`).join()}]`;
const inRecords = (records: number, values: number) =>
  `{"data":[{"c":{"t":[${Array(records)
    .fill(`{"x":[${'0,'.repeat(values)}0]}`)
    .join()}]}}]}`;

const MALFORMED: [name: string, body: string | Buffer, message: RegExp][] = [
  ['empty', '', /empty/],
  ['a position', '{"a":1,}', /^not valid JSON at position 7$/],
  ['only white space', ' \r\n\t', /ends too early/],
  ['only a byte order mark', '\ufeff', /ends too early/],
  ['two byte order marks', '\ufeff\ufeff{}', /not valid JSON/],
  ['a character that begins like the mark', '\ufb00{}', /not valid JSON/],
  ['one that begins with two bytes of it', '\ufec0{}', /not valid JSON/],
  ['one that ends like it', '\u0eff{}', /not valid JSON/],
  ['truncated object', '{"data":[', /ends too early|position/],
  ['truncated string', '{"data":"abc', /not valid JSON/],
  ['truncated escape', '{"data":"\\', /not valid JSON/],
  ['truncated in a character', Buffer.from('{"a":"ö"}').subarray(0, 7), /UTF-8/],
  ['two values', '{}{}', /not valid JSON/],
  ['trailing comma', '{"a":1,}', /not valid JSON/],
  ['comment', '{/* */}', /not valid JSON/],
  ['single quotes', "{'a':1}", /not valid JSON/],
  ['bare key', '{a:1}', /not valid JSON/],
  ['NaN', '{"a":NaN}', /not valid JSON/],
  ['Infinity', '{"a":-Infinity}', /not valid JSON/],
  ['undefined', 'undefined', /not valid JSON/],
  ['leading zero', '{"a":01}', /not valid JSON/],
  ['leading plus', '{"a":+1}', /not valid JSON/],
  ['hexadecimal', '{"a":0x1f}', /not valid JSON/],
  ['no digit after the point', '{"a":1.}', /not valid JSON/],
  ['raw newline in a string', '{"a":"b\nc"}', /not valid JSON/],
  ['raw NUL in a string', '{"a":"b\0c"}', /not valid JSON/],
  ['NUL behind the value', '{}\0', /not valid JSON/],
  ['unknown escape', '{"a":"\\x41"}', /not valid JSON/],
  ['short unicode escape', '{"a":"\\u12"}', /not valid JSON/],
  ['mismatched brackets', '{"a":[1}', /not valid JSON/],
  ['a form', 'data=%7B%7D', /not valid JSON/],
  ['Latin-1', Buffer.from('{"a":"M\xfcller"}', 'latin1'), /UTF-8/],
  ['UTF-16', Buffer.from('{"a":1}', 'utf16le'), /not valid JSON/],
  ['UTF-16 with its mark', Buffer.from('\ufeff{"a":1}', 'utf16le'), /UTF-8/],
  ['overlong UTF-8', Buffer.from([0x22, 0xc0, 0xaf, 0x22]), /UTF-8/],
  ['past U+10FFFF', Buffer.from([0x22, 0xf4, 0x90, 0x80, 0x80, 0x22]), /UTF-8/],
  ['a raw surrogate', Buffer.from([0x22, 0xed, 0xa0, 0xbd, 0x22]), /UTF-8/],
  ['a lone high surrogate', '{"a":["\\ud83d"]}', /unpaired surrogate at a\[0\]/],
  ['a lone low surrogate', '{"a":"\\uDE00x"}', /unpaired surrogate at a/],
  ['surrogates the wrong way round', '{"a":"\\ude00\\ud83d"}', /unpaired surrogate/],
  ['a lone surrogate in a key', '{"\\ud800":1}', /unpaired surrogate/],
  ['33 levels', nested(33), /32 levels/],
  ['33 levels of objects', '{"a":'.repeat(33) + '1' + '}'.repeat(33), /32 levels/],
  ['five million levels', '['.repeat(5_000_000), /32 levels/],
  ['1,001 members in one object', membersOf(1_001), /^more than 1000 members in one object$/],
  [
    'more than 100,000 values in one record',
    inRecords(1, 100_000),
    /^more than 100000 values in one record$/,
  ],
  ['more than 1,000,000 values', inRecords(11, 95_000), /^more than 1000000 values$/],
  ['more than 50,000 names', namesOf(50_010), /^more than 50000 different member names$/],
  ['duplicate key', '{"a":1,"a":1}', /duplicate key "a" at the top/],
  [
    'duplicate key deep inside',
    '{"data":["x",{"update-accounts":{"accounts":[{"id":"1"},{"id":"1","name":"{","id":"2"}]}}]}',
    /^duplicate key "id" at data\[1\]\.update-accounts\.accounts\[1\]$/,
  ],
  [
    'a long duplicate key under a long key',
    `{"${'a'.repeat(65)}":{"${'b'.repeat(65)}":1,"${'b'.repeat(65)}":1}}`,
    new RegExp(`^duplicate key "${'b'.repeat(64)}" at ${'a'.repeat(64)}$`),
  ],
  [
    'duplicate key behind an escaped quotation mark',
    '{"a":"\\"","b":[1,2,{"c":"\\\\","c":0}]}',
    /^duplicate key "c" at b\[2\]$/,
  ],
  ['duplicate key behind a closed object', '{"a":{"b":1},"c":[],"a":1}', /^duplicate key "a" at the top$/],
  ['duplicate key with an escape', '{"id":1,"\\u0069d":2}', /duplicate key "id"/],
  ['duplicate empty key', '{"":1,"":2}', /duplicate key ""/],
  ['duplicate integer key', '{"1":{"b":{}},"2":[{}],"1":2}', /duplicate key "1"/],
  ['key __proto__', '{"a":{"__proto__":{"admin":true}}}', /"__proto__" at a/],
  ['key __proto__ with an escape', '{"\\u005f_proto__":1}', /"__proto__"/],
  ['a flaw under a long key', `{"${'k'.repeat(65)}":{"b":1e400}}`, new RegExp(` at ${'k'.repeat(64)}\\.b$`)],
  ['a flaw in lists', '[[0,[1e400]]]', /^a number that is not finite at \[0\]\[1\]\[0\]$/],
  ['a flaw alone', '1e400', /^a number that is not finite at the top$/],
  ['an unpaired surrogate in the second key', '{"a":{"b":[],"\\udead":1}}', /^an unpaired surrogate at a\./],
  ['1e400', '{"a":1e400}', /not finite at a/],
  ['-1e400', '{"a":[0,-1e400]}', /not finite at a\[1\]/],
  ['400 digits', `{"a":${'9'.repeat(400)}}`, /not finite/],
  ['2^53 + 1', '{"a":9007199254740993}', /past 2\^53/],
  ['-(2^53 + 1)', '[-9007199254740993]', /past 2\^53/],
  ['2^53 + 1 alone', '9007199254740993', /past 2\^53/],
  ['2^53 + 2', '{"a":9007199254740994}', /past 2\^53 at position 5$/],
  ['20 digits', '{"id":12345678901234567890}', /past 2\^53/],
  [
    'an integer past 2^53 behind numbers that are as large',
    '{"9007199254740994":["-9007199254740994",-9.6e129,1e20,{"b":[0,1.5e300,-9007199254740994]}]}',
    /^a number with digits past 2\^53 at position 72$/,
  ],
  ['17 digits', '[1,12345678901234567]', /^a number with digits past 2\^53 at position 3$/],
  ['an integer past 2^53 behind escapes', '["\\"9",9007199254740993]', /at position 7$/],
  ['2^53 + 1 with a point', '[9007199254740992.0,9007199254740993.0]', /past 2\^53 at position 20$/],
  ['2^53 + 1 with a fraction', '{"u":9007199254740993.5}', /past 2\^53 at position 5$/],
  ['20 digits with a fraction', '{"a":[{"unknown":12345678901234567890.5}]}', /past 2\^53/],
  ['2^53 + 1 by an exponent', '{"v":90071992547409930e-1}', /past 2\^53 at position 5$/],
  ['2^53 + 1 by a point and an exponent', '{"v":-9.007199254740993E+15}', /past 2\^53 at position 6$/],
  ['2^53 + 1 behind zeros', '[0.0000009007199254740993e+0022]', /past 2\^53 at position 1$/],
  ['more digits than a double has, and zeros', '[123456789012345678e5]', /past 2\^53 at position 1$/],
  [
    '2^53 + 1 between such as are not',
    '[9007199254740992,9007199254740993,9.1e15]',
    /past 2\^53 at position 18$/,
  ],
];

test.each(MALFORMED)('malformed: %s', (_name, body, message) => {
  const parsing = () => parseStrictJson(Buffer.from(body as string));
  expect(parsing).toThrow(MalformedBody);
  expect(parsing).toThrow(message);
});

test.each([
  ['a byte order mark before it', '\ufeff{"a":1}'],
  ['32 levels', nested(32)],
  ['1,000 members in one object', membersOf(1_000)],
  ['many values in one record', inRecords(1, 99_900)],
  ['50,000 names, many times', `[${namesOf(50_000)},${namesOf(50_000)},${namesOf(50_000)}]`],
  ['brackets and colons in strings', `{"a":"${'[{:'.repeat(50)}\\"[","\\\\":1}`],
  ['2^53', '[9007199254740992,-9007199254740992,9007199254740991]'],
  ['a fraction or an exponent', '[-9.6e129,1e20,9007199254740992.0,9007199254740994.0,1E+300,-1e16,1e23]'],
  ['all digits of a large double', '[1.7976931348623157e308,-123456789012345e7,123456789012345670000e-1]'],
  [
    'a fraction that is rounded',
    '[0.1234567890123456789,9007199254740991.9,9007199254740994.5,123456789012345678e-9]',
  ],
  ['no digits but zeros', `[0.${'0'.repeat(400)}e999999999999,0e99999,1e20]`],
  ['exponents of many digits', '[1e+00000000000000000020,1e-00000000000000000001,10e00000000000000000019]'],
  ['2^53 + 1 in a string', '{"id":"9007199254740993"}'],
  ['2^53 + 2 in a string behind an escaped quotation mark', '["\\"","9007199254740994",1e20]'],
  ['a surrogate pair in escapes', '{"a":"\\ud83d\\ude00","\\ud83d\\ude00":1}'],
  ['depth that goes down again', `[${'[[]],'.repeat(40)}0]`],
  ['an escaped backslash before u', '{"a":"\\\\ud83d"}'],
  ['the smallest double and one that is rounded to zero', '[5e-324,1e-400]'],
  ['equal keys in different objects', '[{"a":1},{"a":{"a":2}}]'],
  ['keys that are nothing special', '{"$where":1,"a.b":2,"constructor":{"prototype":3},"toString":4,"":5}'],
])('well formed: %s', (_name, text) => {
  expect(parseStrictJson(Buffer.from(text))).toEqual(JSON.parse(text.replace('\ufeff', '')));
});

test('an inert key reaches no prototype', () => {
  parseStrictJson(Buffer.from('{"constructor":{"prototype":{"polluted":true}}}'));
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

test('no message quotes a value', () => {
  const leaky = ['{"phone":"7015550142"', '{"phone":"7015550142"x', '{"a":{"phone":"7015550142\\ud800"}}'];
  for (const body of leaky) {
    expect(() => parseStrictJson(Buffer.from(body))).toThrow(MalformedBody);
    expect(() => parseStrictJson(Buffer.from(body))).not.toThrow(/701555/);
  }
});

// Text as an ERP may send it: any well-formed string, no integer past 2^53, no `__proto__`, at most 32 levels.
const json = fc.jsonValue({ maxDepth: 8, stringUnit: 'binary' }).filter(isAcceptable);

function isAcceptable(value: unknown): boolean {
  if (typeof value === 'number') return Math.abs(value) <= 2 ** 53 || String(value).includes('e');
  if (typeof value === 'string') return !/\p{Surrogate}/u.test(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(
    ([key, item]) => key !== '__proto__' && isAcceptable(key) && isAcceptable(item),
  );
}

scaledTest('agrees with JSON.parse on acceptable JSON, however it is spaced or escaped', () => {
  const escaped = (text: string) =>
    text.replace(/[^\u0020-\u007e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  fc.assert(
    fc.property(json, fc.boolean(), fc.nat(3), (value, ascii, indent) => {
      const text = JSON.stringify(value, null, indent);
      const body = ascii && indent === 0 ? escaped(text) : text;
      expect(parseStrictJson(Buffer.from(body))).toEqual(JSON.parse(body));
    }),
    played(100, 500),
  );
});

const digits = fc
  .tuple(fc.stringMatching(/^[1-9]\d{13,19}$/), fc.constantFrom('', '0', '00000'))
  .map(([first, zeros]) => first + zeros);
const spelled = fc
  .tuple(
    digits,
    fc.record<Spelling>({
      shift: fc.integer({ min: -FARTHEST, max: FARTHEST }),
      zeros: fc.nat(3),
      exponent: fc.constantFrom(...EXPONENTS),
    }),
  )
  .map(([all, spelling]) => ({ all, text: spellNumber(all, spelling) }));

/** A large number as it is fed, without an exponent. */
function inDigits(number: number): string {
  const [mantissa, exponent = '0'] = String(number).split('e');
  const [whole, fraction = ''] = mantissa!.split('.');
  return String(BigInt(whole! + fraction) * 10n ** BigInt(Number(exponent) - fraction.length));
}

scaledTest('of a whole number in any spelling every digit comes out, or it is refused', () => {
  const fed = (text: string) => {
    try {
      return new CanonicalJson('42').value(parseStrictJson(Buffer.from(text)));
    } catch (error) {
      if (error instanceof MalformedBody) return 'refused';
      throw error;
    }
  };
  fc.assert(
    fc.property(spelled, fc.boolean(), ({ all, text }, isNegative) => {
      const isPlain = /^\d+$/.test(text);
      const isLarge = BigInt(all) > 2n ** 53n;
      const right = !isLarge || (!isPlain && inDigits(Number(text)) === all);
      const [sign, value] = [isNegative ? '-' : '', fed(isNegative ? `-${text}` : text)];
      expect({ text, fed: value }).toEqual({ text, fed: right ? `${sign}${Number(text)}` : 'refused' });
    }),
    played(300, 2000),
  );
});

test('a member doubled anywhere is found', () => {
  fc.assert(
    fc.property(json, fc.string(), fc.nat(), (value, key, pick) => {
      const quoted = JSON.stringify(key);
      fc.pre(isAcceptable(key) && key !== '__proto__');
      const doubled = `{"before":[${JSON.stringify(value)}],"x":[{${quoted}:${pick},${quoted}:{}}]}`;
      expect(() => parseStrictJson(Buffer.from(doubled))).toThrow(`duplicate key ${quoted} at x[0]`);
    }),
  );
});

scaledTest('bytes put in, taken out or changed: a value or MalformedBody, nothing else', () => {
  const seed = Buffer.from(
    '{"data":[{"update-accounts":{"accounts":[{"id":"1","n":"\\ud83d\\ude00ö","x":-1.5e3}]}}]}',
  );
  const spot = fc.nat(seed.length);
  fc.assert(
    fc.property(spot, fc.nat(4), fc.uint8Array({ maxLength: 6 }), (at, removed, inserted) => {
      const body = Buffer.concat([seed.subarray(0, at), inserted, seed.subarray(at + removed)]);
      try {
        expect(parseStrictJson(body)).toEqual(JSON.parse(body.toString()));
      } catch (error) {
        if (!(error instanceof MalformedBody)) throw error;
      }
    }),
    played(300, 3000),
  );
});
