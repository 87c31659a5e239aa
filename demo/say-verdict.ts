import { bold, green, red, say, secondsSince } from './terminal';

export function sayVerdict(wrong: string[], began: number): void {
  const took = `(${secondsSince(began)} in all)`;
  say('');
  if (wrong.length === 0) {
    say(bold(green(`   Nothing acknowledged was missed. Every number is right. ${took}`)));
  } else {
    say(bold(red(`   Not every number is right ${took}:`)));
    for (const sentence of wrong) say(red(`   - ${sentence}`));
  }
  say('');
}
