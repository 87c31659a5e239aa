// Names come from ERPs and end up in receipts, on pages and on terminals, where one character could end a line, move the cursor
// or turn the direction of what follows. Every door through which text leaves spells such characters out, as JSON does.
const UNRULY = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu;
// Value attributes as our pages render them: what is in them comes back with a form.
const UNRULY_IN_PAGE = /value="[^"]*"|[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu;
const IN_VALUE = /[\p{Bidi_Control}\p{Zl}\p{Zp}]/gu;

const hexOf = (character: string) => character.charCodeAt(0).toString(16).padStart(4, '0');
const spelledOut = (character: string) => `\\u${hexOf(character)}`;

/** What stays on one line: `a\u000ab`. */
export const escaped = (text: string): string => text.replace(UNRULY, spelledOut);

/** Lines of our own, in which no name has a line break any more; JSON stays the same document. */
export const escapedLines = (text: string): string =>
  text.replace(UNRULY, (found) => (found === '\n' ? found : spelledOut(found)));

/** A page. The values of its forms come back as they are. */
export const escapedInPage = (html: string): string =>
  html.replace(UNRULY_IN_PAGE, (found) =>
    found.length > 1
      ? escapedLines(found.replace(IN_VALUE, (mark) => `&#x${hexOf(mark)};`))
      : escapedLines(found),
  );
