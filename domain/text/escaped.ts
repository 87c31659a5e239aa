// Names come from ERPs and are shown in receipts, on pages and on terminals. There one character could end a line, move
// the cursor or turn the direction of the text after it. Every output of text therefore writes such characters as
// escapes, as JSON does.
const UNRULY = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu;
// Our pages render value attributes like this. The browser sends their content back with the form, so it must stay the
// same.
const UNRULY_IN_PAGE = /value="[^"]*"|[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu;
const IN_VALUE = /[\p{Bidi_Control}\p{Zl}\p{Zp}]/gu;

const hexOf = (character: string) => character.charCodeAt(0).toString(16).padStart(4, '0');
const spelledOut = (character: string) => `\\u${hexOf(character)}`;

/** Escapes a text for one line: `a\u000ab`. */
export const escaped = (text: string): string => text.replace(UNRULY, spelledOut);

/** Escapes text of several lines whose names are escaped already. A JSON document keeps its meaning. */
export const escapedLines = (text: string): string =>
  text.replace(UNRULY, (found) => (found === '\n' ? found : spelledOut(found)));

/** Escapes an HTML page. The browser sends its form values back unchanged. */
export const escapedInPage = (html: string): string =>
  html.replace(UNRULY_IN_PAGE, (found) =>
    found.length > 1
      ? escapedLines(found.replace(IN_VALUE, (mark) => `&#x${hexOf(mark)};`))
      : escapedLines(found),
  );
