const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LARGEST = String(2 ** 53);
const POINT_OR_EXPONENT = /[.eE]/;

/**
 * The position of the first number past 2^53 in a valid JSON text whose digits before the point a double does not keep,
 * or does not certainly keep: in digits alone it is an id, and of ids every second one would pass. What is written with
 * point or exponent is a measurement and need only come out as it came. Called only when the text has a number of that
 * size.
 */
export function lostDigitsIn(text: string): number | undefined {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) i = endOfString(text, i);
    else if (isDigit(code)) {
      const end = endOfNumber(text, i);
      if (end - i >= LARGEST.length && losesDigits(text.slice(i, end))) return i;
      i = end;
    }
  }
  return undefined;
}

/** @param number without its sign */
function losesDigits(number: string): boolean {
  const digits = integerDigits(number);
  if (digits.length < LARGEST.length || (digits.length === LARGEST.length && digits <= LARGEST)) return false;
  return !POINT_OR_EXPONENT.test(number) || digits !== integerDigits(String(Number(number)));
}

/** What stands before the point when a number is written without an exponent; nothing when it is less than 1. */
function integerDigits(number: string): string {
  const [mantissa, exponent = '0'] = number.toLowerCase().split('e');
  const [whole, fraction = ''] = mantissa!.split('.');
  const digits = whole + fraction;
  const first = digits.search(/[1-9]/);
  if (first === -1) return '';
  const length = whole!.length - first + Number(exponent);
  return digits.slice(first, first + Math.max(0, length)).padEnd(length, '0');
}

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
