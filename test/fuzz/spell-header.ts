import type { Random } from '../../tools/sample/random';

type Values = string | string[];

const BLANKS = ['', '', ' ', '\t', ' \t ', '  '];
const blanks = (random: Random) => random.pick(BLANKS);
const within = (random: Random) => random.pick([' ', '\t', '  ', ' \t']);

const anyCase = (text: string, random: Random) =>
  text.replace(/[a-z]/gi, (letter) => (random.chance(0.5) ? letter.toUpperCase() : letter.toLowerCase()));

/** Blanks around a value, which are no part of it. */
export const padded = (value: string, random: Random) => blanks(random) + value + blanks(random);

/** Words that say nothing in a list, before and behind what it says. */
function inList(value: string, nothing: string[], random: Random): string {
  const words = [value];
  for (let more = random.integer(0, 3); more > 0; more--) {
    const word = random.pick(nothing);
    if (random.chance(0.5)) words.push(word);
    else words.unshift(word);
  }
  return words.map((word) => padded(word, random)).join(',');
}

const named = (address: string, random: Random) => {
  const port = random.chance(0.5) ? `:${random.integer(1, 65_535)}` : '';
  if (!address.includes(':')) return address + port;
  return port || random.chance(0.5) ? `[${anyCase(address, random)}]${port}` : anyCase(address, random);
};

/** What else a header may hold that says the same (RFC 9110). */
const SPELLINGS: Record<string, (value: string, random: Random) => Values> = {
  authorization: (token, random) =>
    random.chance(0.5) ? token : anyCase('bearer', random) + within(random) + token,
  'content-type': (type, random) => {
    const utf8 = anyCase(random.pick(['utf-8', '"utf-8"']), random);
    const charset = `${blanks(random)};${blanks(random)}${anyCase('charset', random)}=${utf8}`;
    return anyCase(type, random) + (random.chance(0.5) ? charset : '');
  },
  'content-encoding': (encoding, random) => {
    const name = encoding === 'gzip' && random.chance(0.3) ? 'x-gzip' : encoding;
    const text = inList(anyCase(name, random), ['', 'identity', 'Identity'], random);
    return random.chance(0.5) ? text : text.split(',');
  },
  'x-request-id': (id, random) => {
    const lines = Array.from({ length: random.integer(1, 3) }, () => padded(id, random));
    // With no blank beside it, a comma is a part of the id.
    return random.chance(0.5) ? lines : lines.join(random.pick([', ', ' ,', ',\t', '\t,']));
  },
  'x-forwarded-for': (address, random) => {
    const before = Array.from({ length: random.integer(0, 3) }, () => named('198.51.100.1', random));
    return [...before, named(address, random)].map((one) => padded(one, random)).join(',');
  },
};

/** Headers in another spelling. */
export const spellHeaders = (headers: Record<string, string>, random: Random): Record<string, Values> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      const spelled = SPELLINGS[name]?.(value, random) ?? value;
      return [anyCase(name, random), typeof spelled === 'string' ? padded(spelled, random) : spelled];
    }),
  );
