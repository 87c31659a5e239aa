const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LARGEST = String(2 ** 53);
const INTEGER = /^\d+$/;

/**
 * The position of an integer past 2^53, without fraction or exponent, in a valid JSON text: a double cannot represent
 * all its digits. Called only when the text has a number of that size.
 */
export function largeIntegerIn(text: string): number | undefined {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) i = endOfString(text, i);
    else if (isDigit(code)) {
      const end = endOfNumber(text, i);
      if (end - i >= LARGEST.length && isLargeInteger(text.slice(i, end))) return i;
      i = end;
    }
  }
  return undefined;
}

// JSON has no leading zeros, so the longer is the larger.
const isLargeInteger = (number: string) =>
  INTEGER.test(number) && (number.length > LARGEST.length || number > LARGEST);

const isDigit = (code: number) => code >= 0x30 && code <= 0x39;

/** The index after a number's digits, point, exponent and signs. */
function endOfNumber(text: string, start: number): number {
  let i = start + 1;
  while (i < text.length && isOfNumber(text.charCodeAt(i))) i++;
  return i;
}

const isOfNumber = (code: number) =>
  isDigit(code) || code === 0x2e || code === 0x2b || code === 0x2d || (code | 0x20) === 0x65;

function endOfString(text: string, start: number): number {
  let i = start + 1;
  while (text.charCodeAt(i) !== QUOTE) i += text.charCodeAt(i) === BACKSLASH ? 2 : 1;
  return i;
}
