import { gzipSync } from 'node:zlib';
import { at, RESET, type BadInput } from './bad-input';

const body = '{"data":[]}';

const refused = (headers: Record<string, string>): BadInput => ({
  name: JSON.stringify(headers),
  headers,
  body,
  status: 415,
  code: 'UNSUPPORTED_MEDIA_TYPE',
});

const TYPES = [
  '',
  'json',
  'text/json',
  'text/plain',
  'text/html',
  'text/javascript',
  'application/xml',
  'application/jsonp',
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/ld+json',
  'application/vnd.api+json',
  'application/x-ndjson',
  'application/octet-stream',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/*',
  '*/*',
  'application/json, text/plain',
  'application/json/x',
  'application /json',
  ...['iso-8859-1', 'utf-16', 'utf-16le', 'utf-32', 'utf-7', 'us-ascii', 'windows-1252', 'cp65001'].map(
    (charset) => `application/json; charset=${charset}`,
  ),
];

const ENCODINGS = [
  'br',
  'deflate',
  'compress',
  'zstd',
  'gzip, gzip',
  'identity, br',
  'gzip, br',
  'gzip;q=1',
  '*',
  'none',
];

const types = [
  ...TYPES.map((type) => refused({ 'content-type': type })),
  ...ENCODINGS.map((encoding) => refused({ 'content-encoding': encoding })),
];

const packed = (name: string, bytes: Buffer): BadInput => ({
  name: `gzip: ${name}`,
  headers: { 'content-encoding': 'gzip' },
  body: bytes,
  status: 400,
  code: 'MALFORMED_BODY',
});

const zipped = gzipSync(body);
const MIB = 1024 * 1024;

export const headers: BadInput[] = [
  ...types.map((input) => ({ ...input, name: `push: ${input.name}` })),
  ...at(types.slice(0, 8), { path: RESET, as: 'channel' }).map((input) => ({
    ...input,
    name: `reset: ${input.name}`,
  })),
  packed('not packed', Buffer.from(body)),
  packed('empty', Buffer.alloc(0)),
  packed('cut off', zipped.subarray(0, -5)),
  packed('only its header', zipped.subarray(0, 10)),
  packed('a wrong checksum', Buffer.concat([zipped.subarray(0, -8), Buffer.alloc(8)])),
  packed('a wrong length', Buffer.concat([zipped.subarray(0, -4), Buffer.alloc(4)])),
  packed('packed twice', gzipSync(zipped)),
  packed('of nothing', gzipSync('')),
  packed('of what is not JSON', gzipSync('hello')),
  packed('zip, not gzip', Buffer.from('PK\u0003\u0004')),
  { ...packed('a bomb', gzipSync(Buffer.alloc(64 * MIB))), status: 413, code: 'PAYLOAD_TOO_LARGE' },
  { ...packed('17 MiB of blanks', gzipSync(' '.repeat(17 * MIB))), status: 413, code: 'PAYLOAD_TOO_LARGE' },
  {
    name: 'one byte over 16 MiB',
    body: Buffer.alloc(16 * MIB + 1, ' '),
    status: 413,
    code: 'PAYLOAD_TOO_LARGE',
  },
  {
    name: 'too large and not JSON: 413 comes first',
    headers: { 'content-type': 'text/plain' },
    body: Buffer.alloc(16 * MIB + 1),
    status: 413,
    code: 'PAYLOAD_TOO_LARGE',
  },
];
