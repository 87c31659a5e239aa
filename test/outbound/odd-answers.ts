import { gzipSync } from 'node:zlib';
import type { PageFailure } from '../../domain/deliveries/classify-answer';
import { type Behaviour, onRequest, pours, says, saysAndLeaves, trickles } from './odd-customer';

export interface OddAnswer {
  does: Behaviour;
  /** The failure class; none when the page is confirmed. */
  failure?: PageFailure;
  reason?: RegExp | string;
  /** The milliseconds of its Retry-After, clamped. */
  retryAfterMs?: number | undefined;
}

const OK = ['HTTP/1.1 200 OK', 'content-length: 0', '', ''];
const later = (retryAfter: string): Behaviour =>
  says('HTTP/1.1 503 Busy', `retry-after: ${retryAfter}`, 'content-length: 0', '', '');
const TEN_GB = 10 * 1024 ** 3;
const MEGABYTE = Buffer.alloc(1024 * 1024, 'a');
const BOMB = gzipSync(Buffer.alloc(50 * 1024 * 1024));
const LONG = { least: 64_000, more: 6_500, step: 97 };
let long = 0;
const packed = (status: string): Behaviour =>
  pours(
    `HTTP/1.1 ${status}\r\ncontent-encoding: gzip\r\ncontent-length: ${BOMB.length}\r\n\r\n`,
    BOMB,
    BOMB.length,
  );

/** What a customer may do to a page, over plain HTTP. */
export const ODD_ANSWERS: Record<string, OddAnswer> = {
  'says nothing': { does: () => {}, failure: 'unavailable', reason: 'did not answer within 2.5 s' },
  'trickles its headers': {
    does: trickles('HTTP/1.1 200 OK', 'x-slow: '),
    failure: 'unavailable',
    reason: 'did not answer within 2.5 s',
  },
  'trickles its body': { does: trickles('HTTP/1.1 200 OK', 'content-length: 99999', '', '') },
  'trickles the body of a refusal': {
    does: trickles('HTTP/1.1 422 No', 'content-length: 99999', '', 'because'),
    failure: 'refused',
    reason: 'answered 422',
  },
  'answers 10 GB': { does: pours(`HTTP/1.1 200 OK\r\ncontent-length: ${TEN_GB}\r\n\r\n`, MEGABYTE, TEN_GB) },
  'refuses with 10 GB': {
    does: pours(`HTTP/1.1 500 Oh\r\ncontent-length: ${TEN_GB}\r\n\r\n`, MEGABYTE, TEN_GB),
    failure: 'unavailable',
    reason: 'answered 500',
  },
  'answers a gzip bomb': { does: packed('200 OK') },
  'refuses with a gzip bomb': { does: packed('400 No'), failure: 'refused', reason: 'answered 400' },
  // Read late, such an answer ends the process (tools/lint/house-rules.mjs): each request gets another length.
  'answers 64 to 70 kB and closes': {
    does: (socket) =>
      socket.once('data', () => {
        const body = Buffer.alloc(LONG.least + ((LONG.step * ++long) % LONG.more), 'a');
        const head = `HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n`;
        socket.end(Buffer.concat([Buffer.from(head), body]));
      }),
  },
  'closes at once': {
    does: (socket) => socket.destroy(),
    failure: 'unavailable',
    reason: /^closed the connection before its answer was complete/,
  },
  'closes while the page is being sent': {
    does: (socket) => socket.once('data', () => socket.resetAndDestroy()),
    failure: 'unavailable',
    reason: /^closed the connection before its answer was complete/,
  },
  'stops reading while the page is being sent': {
    does: (socket) => socket.once('data', () => socket.pause()),
    failure: 'unavailable',
    reason: 'did not answer within 2.5 s',
  },
  'refuses the page before it is sent': {
    does: (socket) =>
      socket.once('data', () =>
        socket.end('HTTP/1.1 413 Big\r\nconnection: close\r\ncontent-length: 0\r\n\r\n'),
      ),
    failure: 'too_large',
    reason: 'answered 413',
  },
  'stops in its status line': {
    does: saysAndLeaves('HTTP/1.1 2'),
    failure: 'unavailable',
    reason: /^closed the connection before its answer was complete/,
  },
  'stops in its headers': {
    does: saysAndLeaves('HTTP/1.1 200 OK', 'content-le'),
    failure: 'unavailable',
    reason: /^closed the connection before its answer was complete/,
  },
  'stops in its body': { does: saysAndLeaves('HTTP/1.1 200 OK', 'content-length: 1000', '', 'ten bytes.') },
  'stops in the body of a refusal': {
    does: saysAndLeaves('HTTP/1.1 409 No', 'content-length: 1000', '', 'ten bytes.'),
    failure: 'refused',
    reason: 'answered 409',
  },
  'answers 100,000 headers': {
    does: pours('HTTP/1.1 200 OK\r\n', Buffer.from('x-more: 1\r\n'.repeat(1_000)), 1_100_000),
    failure: 'unavailable',
    reason: 'answered with more than 16 KB of headers',
  },
  'answers one header of 20 KB': {
    does: says('HTTP/1.1 200 OK', `x-long: ${'a'.repeat(20_000)}`, 'content-length: 0', '', ''),
    failure: 'unavailable',
    reason: 'answered with more than 16 KB of headers',
  },
  'never ends its status line': {
    does: pours('HTTP/1.1 200 ', Buffer.alloc(1024, 'a')),
    failure: 'unavailable',
    reason: 'did not answer within 2.5 s',
  },
  'redirects to a link-local address': {
    does: says('HTTP/1.1 307 There', 'location: http://169.254.169.254/', 'content-length: 0', '', ''),
    failure: 'misconfigured',
    reason: 'answered 307',
  },
  'speaks HTTP/0.9': {
    does: saysAndLeaves('<html>hello</html>'),
    failure: 'unavailable',
    reason: /^answered with something that is not HTTP/,
  },
  'answers a status that is no number': {
    does: says('HTTP/1.1 abc OK', '', ''),
    failure: 'unavailable',
    reason: /^answered with something that is not HTTP/,
  },
  'answers 099': { does: says('HTTP/1.1 099 Low', 'content-length: 0', '', ''), failure: 'unavailable' },
  'answers 999': {
    does: says('HTTP/1.1 999 High', 'content-length: 0', '', ''),
    failure: 'unavailable',
    reason: 'answered 999',
  },
  'gives two lengths': {
    does: says('HTTP/1.1 200 OK', 'content-length: 5', 'transfer-encoding: chunked', '', '0', '', ''),
    failure: 'unavailable',
    reason: /UND_ERR_RES_CONTENT_LENGTH_MISMATCH/,
  },
  'floods with 1xx': {
    does: pours('', Buffer.from('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(100))),
    failure: 'unavailable',
    reason: 'answered with more than 10 interim answers',
  },
  'floods with 100': {
    does: pours('', Buffer.from('HTTP/1.1 100 Continue\r\n\r\n'.repeat(100))),
    failure: 'unavailable',
    reason: 'answered with more than 10 interim answers',
  },
  'never ends an interim answer': {
    does: pours('HTTP/1.1 100 Continue\r\n', Buffer.from('x-more: 1\r\n'.repeat(1_000))),
    failure: 'unavailable',
    reason: 'answered with more than 16 KB of headers',
  },
  'says only that it goes on': {
    does: says('HTTP/1.1 100 Continue', '', ''),
    failure: 'unavailable',
    reason: 'did not answer within 2.5 s',
  },
  'leaves after an interim answer': {
    does: saysAndLeaves('HTTP/1.1 100 Continue', '', ''),
    failure: 'unavailable',
    reason: /^closed the connection before its answer was complete/,
  },
  'says 100 first': { does: says('HTTP/1.1 100 Continue', '', OK.join('\r\n')) },
  'sends a few 1xx first': { does: says(...Array(5).fill('HTTP/1.1 102 Wait\r\n'), ...OK) },
  'switches protocols': {
    does: says('HTTP/1.1 101 Switching', 'connection: upgrade', 'upgrade: websocket', '', ''),
    failure: 'unavailable',
  },
  'answers 204 with a body': { does: says('HTTP/1.1 204 No Content', 'content-length: 5', '', 'hello') },
  'answers twice': { does: says(...OK, ...OK) },
  'asks to be left alone for ever': {
    does: later('99999999999999'),
    failure: 'unavailable',
    retryAfterMs: 3_600_000,
  },
  'asks for less than nothing': { does: later('-5'), failure: 'unavailable', retryAfterMs: undefined },
  'asks for nonsense': { does: later('1e3; DROP'), failure: 'unavailable', retryAfterMs: undefined },
  'asks for a number of a kind': { does: later('0x10'), failure: 'unavailable', retryAfterMs: undefined },
  'asks for zero': { does: later('0'), failure: 'unavailable', retryAfterMs: 1_000 },
  'asks for two minutes': { does: later('120'), failure: 'unavailable', retryAfterMs: 120_000 },
  'asks for a time long past': {
    does: later('Sun, 06 Nov 1994 08:49:37 GMT'),
    failure: 'unavailable',
    retryAfterMs: 1_000,
  },
  'asks for a time far ahead': {
    does: later('Fri, 31 Dec 2199 23:59:59 GMT'),
    failure: 'unavailable',
    retryAfterMs: 3_600_000,
  },
  throttles: {
    does: says('HTTP/1.1 429 Slow', 'retry-after: 7', 'content-length: 0', '', ''),
    failure: 'throttled',
    reason: 'answered 429',
    retryAfterMs: 7_000,
  },
  'answers a page late, and well': {
    does: (socket) => onRequest(socket, () => setTimeout(() => socket.write(OK.join('\r\n')), 200)),
  },
};
