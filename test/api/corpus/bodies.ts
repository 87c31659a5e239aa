import { at, malformed, RESET, type BadInput } from './bad-input';

const bytes = (...octets: number[]) => Buffer.from(octets);
const nested = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth);
const inText = (...octets: number[]) =>
  Buffer.concat([Buffer.from('{"data":"'), bytes(...octets), Buffer.from('"}')]);

// Whole numbers of 17 to 40 digits, of either sign.
const MANY_DIGITS = Array.from(
  { length: 24 },
  (_, more) => `${more % 2 ? '-' : ''}9${'1234567890'.repeat(4).slice(0, 16 + more)}`,
);

const SYNTAX: [string, string | Buffer][] = [
  ...MANY_DIGITS.map((digits): [string, string] => [
    `${digits}, which loses digits`,
    `{"data":[],"x":${digits}}`,
  ]),
  ['empty', ''],
  ['blanks only', '   \n\t'],
  ['a byte order mark only', bytes(0xef, 0xbb, 0xbf)],
  ['a word', 'data'],
  ['undefined', 'undefined'],
  ['NaN', 'NaN'],
  ['Infinity', '{"data":Infinity}'],
  ['truncated in a list', '{"data":['],
  ['truncated in a text', '{"data":"abc'],
  ['truncated in an escape', '{"data":"\\u12'],
  ['truncated in a key', '{"da'],
  ['truncated in a number', '{"data":1.'],
  ['truncated in a literal', '{"data":tru'],
  ['a comma at the end of a list', '{"data":[1,]}'],
  ['a comma at the end of an object', '{"data":[],}'],
  ['two commas', '{"data":[1,,2]}'],
  ['no comma', '{"data":[1 2]}'],
  ['no colon', '{"data" []}'],
  ['a key without quotes', '{data:[]}'],
  ['single quotes', "{'data':[]}"],
  ['a comment', '{"data":[] /* all */}'],
  ['a line comment', '{"data":[]} // all'],
  ['two documents', '{"data":[]}{"data":[]}'],
  ['two lines of documents', '{"data":[]}\n{"data":[]}'],
  ['something behind it', '{"data":[]}x'],
  ['a bracket too many', '{"data":[]}]'],
  ['brackets crossed', '{"data":[}]'],
  ['hexadecimal', '{"data":0x10}'],
  ['octal', '{"data":010}'],
  ['a plus sign', '{"data":+1}'],
  ['a bare fraction', '{"data":.5}'],
  ['a fraction without digits', '{"data":5.}'],
  ['an exponent without digits', '{"data":1e}'],
  ['a minus alone', '{"data":-}'],
  ['True', '{"data":True}'],
  ['None', '{"data":None}'],
  ['a tab in a text', '{"data":"a\tb"}'],
  ['a line feed in a text', '{"data":"a\nb"}'],
  ['a NUL in a text', inText(0x00)],
  ['a NUL behind it', Buffer.from('{"data":[]}\u0000')],
  ['an unknown escape', '{"data":"\\x41"}'],
  ['a bad \\u escape', '{"data":"\\uZZZZ"}'],
  ['a form', 'data=%5B%5D'],
  ['XML', '<data/>'],
  ['YAML', 'data: []'],
  ['JSON as JavaScript', 'callback({"data":[]})'],
  ['a guard against hijacking', ')]}\',\n{"data":[]}'],
];

const ENCODINGS: [string, Buffer][] = [
  ['UTF-16 with a mark', Buffer.from('\ufeff{"data":[]}', 'utf16le')],
  ['UTF-16 without a mark', Buffer.from('{"data":[]}', 'utf16le')],
  ['Latin-1', inText(0xe9)],
  ['a lone continuation byte', inText(0x80)],
  ['a sequence cut off', inText(0xe2, 0x82)],
  ['an overlong slash', inText(0xc0, 0xaf)],
  ['an overlong NUL', inText(0xc0, 0x80)],
  ['a surrogate in bytes', inText(0xed, 0xa0, 0x80)],
  ['a surrogate pair in bytes (CESU-8)', inText(0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80)],
  ['beyond Unicode', inText(0xf4, 0x90, 0x80, 0x80)],
  ['a byte that never occurs', inText(0xff)],
  ['two marks', Buffer.concat([bytes(0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf), Buffer.from('{"data":[]}')])],
  ['random bytes', bytes(0x1f, 0x8b, 0x08, 0x00, 0xde, 0xad, 0xbe, 0xef)],
];

const LIMITS: [string, string][] = [
  ['a high surrogate alone', '{"data":"\\ud800"}'],
  ['a low surrogate alone', '{"data":"\\udc00"}'],
  ['surrogates the wrong way round', '{"data":"\\udc00\\ud800"}'],
  ['a surrogate in a key', '{"\\ud83d":1,"data":[]}'],
  ['a surrogate before text', '{"data":"\\ud83dx"}'],
  ['lists 33 deep', nested('[', ']', 33)],
  ['objects 33 deep', `${'{"a":'.repeat(33)}1${'}'.repeat(33)}`],
  ['lists 30,000 deep', nested('[', ']', 30_000)],
  ['open 60,000 deep', '['.repeat(60_000)],
  ['mixed 33 deep', `${'[{"a":'.repeat(17)}1${'}]'.repeat(17)}`],
  ['a key twice', '{"data":[],"data":[]}'],
  ['a key twice, once escaped', '{"data":[],"d\\u0061ta":[]}'],
  ['a key twice, deep inside', '{"data":[{"update-accounts":{"accounts":[{"id":"1","id":"2"}]}}]}'],
  ['an empty key twice', '{"":1,"":2,"data":[]}'],
  ['__proto__', '{"data":[],"__proto__":{}}'],
  ['__proto__ escaped', '{"data":[],"__pr\\u006fto__":{}}'],
  ['__proto__ of a record', '{"data":[{"update-accounts":{"accounts":[{"__proto__":{"id":"1"}}]}}]}'],
  ['__proto__ null', '{"data":[],"__proto__":null}'],
  ['1e400', '{"data":1e400}'],
  ['-1e400', '{"data":-1e400}'],
  ['a thousand digits', `{"data":${'9'.repeat(1_000)}}`],
  ['2^53 + 1', '{"data":9007199254740993}'],
  ['-(2^53 + 1)', '{"data":-9007199254740993}'],
  ['2^64', '{"data":18446744073709551616}'],
  ['an integer past 2^53 beside such numbers as are none', '{"data":[1e300,-9.6e129,9007199254740994]}'],
  ['2^53 + 1 with a point', '{"data":9007199254740993.0}'],
  ['a fraction of a number past 2^53', '{"data":-12345678901234567890.5}'],
  ['2^53 + 1 by an exponent', '{"data":90071992547409930e-1}'],
  ['2^53 + 1 by a point and an exponent', '{"data":[1e20,9.007199254740993E+15]}'],
  ['2^53 + 1 behind many zeros', `{"data":0.${'0'.repeat(5_000)}9007199254740993e5016}`],
  [
    'an unknown field past 2^53',
    '{"data":[{"update-tickets":{"tickets":[{"id":"1","account_id":"1","ours":[{"n":9007199254740993.0}]}]}}]}',
  ],
  ['an id past 2^53', '{"data":[{"update-accounts":{"accounts":[{"id":12345678901234567890}]}}]}'],
];

const push = [...SYNTAX, ...ENCODINGS, ...LIMITS].map(([name, body]) => malformed(`push: ${name}`, body));
// What is empty is `{}` to a reset.
const reset = [...SYNTAX.slice(1, 12), ...ENCODINGS.slice(0, 6), ...LIMITS.slice(0, 12)].map(([name, body]) =>
  malformed(`reset: ${name}`, body),
);

export const bodies: BadInput[] = [...push, ...at(reset, { path: RESET, as: 'channel' })];
