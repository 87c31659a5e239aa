import type { Random } from '../../tools/sample/random';

// None is 101, which would be final.
const STATUSES = [
  '100 Continue',
  '100 Continue',
  '100',
  '102 Processing',
  '103 Early Hints',
  '110 Wait',
  '199 ',
];
const FIELDS = [
  'link: </a>; rel=preload',
  'LINK:\t</b>, </c> \t',
  'connection: close',
  'content-length: 7',
  'transfer-encoding: chunked',
  'retry-after: 3600',
  'x-wait: HTTP/1.1 200 OK',
  'x-empty:',
  `x-long: ${'a'.repeat(200)}`,
];

/** An interim answer, as servers and proxies send them before the one that counts. */
function interimAnswer(random: Random): string {
  const fields = Array.from({ length: random.integer(0, 4) }, () => random.pick(FIELDS));
  const first = `HTTP/1.${random.chance(0.9) ? 1 : 0} ${random.pick(STATUSES)}`;
  return [first, ...fields, '', ''].join(random.chance(0.9) ? '\r\n' : '\n');
}

/** An answer behind so many interim ones, in the pieces in which it arrives. */
export function behindInterim(count: number, answer: string, random: Random): Buffer[] {
  const interim = Array.from({ length: count }, () => interimAnswer(random));
  return inPieces(Buffer.from(interim.join('') + answer), random);
}

/** Cut anywhere: not at all, here and there, or at every byte. */
function inPieces(bytes: Buffer, random: Random): Buffer[] {
  if (random.chance(0.1)) return [...bytes].map((byte) => Buffer.of(byte));
  const cuts = Array.from({ length: random.integer(0, 12) }, () => random.integer(0, bytes.length));
  const ends = [...cuts.sort((one, other) => one - other), bytes.length];
  return ends
    .map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
    .filter(({ length }) => length > 0);
}
