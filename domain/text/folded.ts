import { legible, normalized } from './pasted-text';

// Removed before anything else: Unicode would take some for a blank with an accent, and others for letters.
const APOSTROPHES = /['‘’‚‛`´′ʹʻʼʽˈꞌꞋ᾽＇]/g;
const NO_LETTER = /[^\p{L}\p{N}]+/gu;
// Letters that Unicode does not take apart.
const PLAIN: Record<string, string> = {
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i' },
};
// No name is as long.
const LONGEST = 1_000;

/**
 * A name or a search text as letters and digits with blanks between, so that a name is found whatever apostrophe, hyphen,
 * accent or blank a keyboard or a spreadsheet has written.
 */
export const folded = (text: string): string =>
  normalized(legible(text.slice(0, LONGEST).replace(APOSTROPHES, '')).toLowerCase(), 'NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[ßæœøłđðþı]/g, (letter) => PLAIN[letter]!)
    .replace(NO_LETTER, ' ')
    .trim();

/**
 * Whether the lines of a text have each word of what is searched for: as they are written, or with their words joined, as
 * what one keyboard parts another one joins.
 */
export function hasWords(text: string, searched: string): boolean {
  const lines = text.split('\n').map(folded);
  const joined = lines.map((line) => line.replaceAll(' ', ''));
  return folded(searched)
    .split(' ')
    .every((word) => [...lines, ...joined].some((line) => line.includes(word)));
}
