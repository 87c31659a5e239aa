import { legible, normalized } from './pasted-text';

// Removed before anything else: Unicode would take some for a blank with an accent, and others for letters.
const APOSTROPHES = /['‘’‚‛`´′ʹʻʼʽˈ＇]/g;
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

/** Whether a text has each word of what is searched for. */
export function hasWords(text: string, searched: string): boolean {
  const plain = folded(text);
  return folded(searched)
    .split(' ')
    .every((word) => plain.includes(word));
}
