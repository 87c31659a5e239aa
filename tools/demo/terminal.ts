import { styleText } from 'node:util';
import { environment } from '../../config';

const coloured = process.stdout.isTTY && !environment['NO_COLOR'];
const WIDTH = 100;

let chapters = 0;

/** A heading with one sentence on why the chapter matters. */
export function chapter(title: string, why: string): void {
  chapters += 1;
  say('');
  say(bold(`${chapters}  ${title}`));
  say(`   ${dim(why)}`);
  say('');
}

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** A command as typed, wrapped before an option when the line gets too long. */
export function sayCommand(words: string[]): void {
  let line = '   $ ';
  for (const word of words.map(quoted)) {
    if (line.length + word.length > WIDTH - 12 && word.startsWith('--')) {
      say(dim(`${line}\\`));
      line = '       ';
    }
    line += `${word} `;
  }
  say(dim(line.trimEnd()));
}

const quoted = (word: string) => (/^[\w:/.,=-]+$/.test(word) ? word : `"${word}"`);

export const bold = (text: string) => paint('bold', text);
export const dim = (text: string) => paint('dim', text);
export const green = (text: string) => paint('green', text);
export const red = (text: string) => paint('red', text);

function paint(style: 'bold' | 'dim' | 'green' | 'red', text: string): string {
  return coloured ? styleText(style, text) : text;
}

/** "3.2 s" since then. */
export const secondsSince = (began: number) => `${((Date.now() - began) / 1_000).toFixed(1)} s`;
