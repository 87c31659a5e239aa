import type { Random } from '../../tools/sample/random';
import { EXPONENTS, FARTHEST, spellNumber } from './spell-number';

const long = (text: string, times: number) => text.repeat(times);

/** Stands for a number of many digits, which no JavaScript value can say: `writeJson` spells one. */
const MANY_DIGITS = '@digits';

/** What no field should get. */
const NASTY: readonly unknown[] = [
  null,
  true,
  0,
  -0,
  -1,
  1e308,
  Number.MAX_SAFE_INTEGER,
  0.1 + 0.2,
  '',
  ' ',
  '\u0000',
  '\u202e',
  '\ufeff',
  '\uffff',
  '\ud83c\udf3e',
  '__proto__',
  'constructor',
  'null',
  '$where',
  '{"$ne":null}',
  "' OR 1=1 --",
  '<script>alert(1)</script>',
  '../../etc/passwd',
  '%00%0a',
  '2026-02-30T00:00:00Z',
  '-1e400',
  long('9', 400),
  MANY_DIGITS,
  long('x', 20_000),
  long('\ud83c\udf3e', 200),
  [],
  {},
  [[[[[]]]]],
  { $gt: '' },
  { constructor: { prototype: { polluted: true } } },
  { toJSON: 'x', length: -1 },
  Array.from({ length: 200 }, () => null),
];

/** One of them, the caller's own. */
export const nasty = (random: Random): unknown => structuredClone(random.pick(NASTY));

/** A value as JSON, each number of many digits in a spelling of its own. */
export function writeJson(value: unknown, random: Random): Buffer {
  const text = JSON.stringify(value) ?? '';
  return Buffer.from(text.replaceAll(`"${MANY_DIGITS}"`, () => manyDigits(random)));
}

function manyDigits(random: Random): string {
  const more = Array.from({ length: random.integer(14, 24) }, () => random.integer(0, 9)).join('');
  const number = spellNumber(`${random.integer(1, 9)}${more}`, {
    shift: random.integer(-FARTHEST, FARTHEST),
    zeros: random.integer(0, 3),
    exponent: random.pick(EXPONENTS),
  });
  return random.chance(0.3) ? `-${number}` : number;
}

type Container = Record<string, unknown> | unknown[];

/** Changes one place of a JSON value: another value, a member gone, doubled, renamed or added. */
export function mutate(value: unknown, random: Random): unknown {
  const holders: Container[] = [];
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    holders.push(node as Container);
    Object.values(node).forEach(walk);
  };
  walk(value);
  if (holders.length === 0 || random.chance(0.03)) return nasty(random);
  change(random.pick(holders) as Record<string, unknown>, random);
  return value;
}

function change(holder: Record<string, unknown>, random: Random): void {
  const keys = Object.keys(holder);
  const key = keys.length > 0 ? random.pick(keys) : '0';
  const act = random.integer(0, 4);
  if (act <= 1) holder[key] = nasty(random);
  else if (act === 2) Reflect.deleteProperty(holder, key);
  else if (act === 3) holder[Array.isArray(holder) ? holder.length : `${key}_`] = holder[key];
  else holder[JSON.stringify(nasty(random)).slice(0, 100)] = nasty(random);
}

/** Damages bytes: one changed, some gone, some doubled, some put in. */
export function damage(bytes: Buffer, random: Random): Buffer {
  const at = random.integer(0, Math.max(0, bytes.length - 1));
  const to = Math.min(bytes.length, at + random.integer(1, 20));
  const before = bytes.subarray(0, at);
  switch (random.integer(0, 4)) {
    case 0:
      return Buffer.concat([before, Buffer.from([random.integer(0, 255)]), bytes.subarray(at + 1)]);
    case 1:
      return Buffer.concat([before, bytes.subarray(to)]);
    case 2:
      return Buffer.concat([before, bytes.subarray(at, to), bytes.subarray(at)]);
    case 3:
      return before;
    default:
      return Buffer.concat([
        before,
        Buffer.from(random.pick(['{', '"', '"__proto__":1,', '\\u', ',', '\ufeff', '[[[['])),
        bytes.subarray(at),
      ]);
  }
}
