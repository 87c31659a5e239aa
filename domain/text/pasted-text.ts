// Pasted text may contain characters that no screen shows: direction marks around a number from the contacts, soft
// hyphens from a PDF, blanks that do not break, variation selectors, characters without width. This file has all rules
// about them (docs/contract.md A18).

// Unicode's own list of invisible characters.
const UNSEEN = /\p{Default_Ignorable_Code_Point}/gu;
const BLANK_OR_UNSEEN = /^[\s\p{Default_Ignorable_Code_Point}]$/u;
const SEEN = /[^\s\p{Default_Ignorable_Code_Point}]/u;
// Invisible characters, and blanks that only look like the keyboard's.
const LOOKS_OTHERWISE = /\p{Default_Ignorable_Code_Point}|[^\S ]/gu;

export const withoutUnseen = (text: string): string => text.replace(UNSEEN, '');

/**
 * For names, ids, addresses and other text. Blanks and invisible characters at both ends are removed; those within are
 * kept.
 */
export function trimmed(text: string): string {
  const begin = text.search(SEEN);
  if (begin === -1) return '';
  let end = text.length;
  // A regular expression would start again at each of a million blanks.
  for (let last = lastOf(text, end); BLANK_OR_UNSEEN.test(last); last = lastOf(text, end)) end -= last.length;
  return text.slice(begin, end);
}

const lastOf = (text: string, end: number) => {
  const at = end - 1;
  return text.slice(/[\udc00-\udfff]/.test(text.charAt(at)) ? at - 1 : at, end);
};

// Nothing that is typed is as long.
const LONGEST_NORMALIZED = 1_000;
// Combining marks are sorted by insertion. No script writes as many on one letter. The last two become marks.
const MANY_MARKS = /[\p{M}\uff9e\uff9f]{31}/u;

/** The text in Unicode's form; as it is if it has more than 30 combining marks in a row. */
export const normalized = (text: string, form: 'NFKC' | 'NFD'): string =>
  MANY_MARKS.test(text) ? text : text.normalize(form);

/**
 * For phones, codes, tokens, dates and search texts. Full-width characters become plain ones, unless the text is longer than
 * 1,000 characters or has 31 combining marks in a row. Invisible ones are removed everywhere.
 */
export const legible = (text: string): string =>
  withoutUnseen(text.length > LONGEST_NORMALIZED ? text : normalized(text, 'NFKC')).trim();

/**
 * For addresses and settings, which refuse such a character.
 * @returns the problem: `holds U+200B, which cannot be seen`
 */
export function whyUnseen(text: string): string | undefined {
  const [found] = text.match(LOOKS_OTHERWISE) ?? [];
  return found === undefined ? undefined : `holds ${nameOf(found)}, which cannot be seen`;
}

const QUOTES = /^["'`“”„‘’].*["'`“”„‘’]$|^["'`“”]$/s;

/** For settings: files of `docker run --env-file` and of Kustomize keep quotes, and so does whoever reads the value. */
export const whyQuoted = (text: string): string | undefined =>
  QUOTES.test(text) ? 'has quotes around it, which are a part of the value: leave them out' : undefined;

/** For messages that repeat typed text: shows invisible characters, `acme<U+200B>`. */
export const unseenNamed = (text: string): string =>
  text.replace(LOOKS_OTHERWISE, (found) => (found === '\n' ? found : `<${nameOf(found)}>`));

const nameOf = (character: string) =>
  `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
