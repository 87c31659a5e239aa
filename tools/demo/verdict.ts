import { isDeepStrictEqual } from 'node:util';
import { bold, green, red, say, secondsSince } from './terminal';

interface Check {
  what: string;
  expected: unknown;
  got: unknown;
}

/** The numbers of the story that can be right or wrong, in its order. */
export const checks: Check[] = [];

export function check(what: string, got: unknown, expected: unknown): void {
  checks.push({ what, expected, got });
}

/** @returns every number that is wrong, in a sentence */
export function sayVerdict(began: number): string[] {
  const wrong = checks.filter(({ expected, got }) => !isDeepStrictEqual(got, expected)).map(sentence);
  const took = `(${secondsSince(began)} in all)`;
  say('');
  if (wrong.length === 0) {
    say(bold(green(`   Nothing acknowledged was missed. Every number is right. ${took}`)));
  } else {
    say(bold(red(`   Not every number is right ${took}:`)));
    for (const one of wrong) say(red(`   - ${one}`));
  }
  say('');
  return wrong;
}

const sentence = ({ what, expected, got }: Check) =>
  `${what}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(got)}`;
