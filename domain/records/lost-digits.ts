const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LARGEST = String(2 ** 53);
const POINT_OR_EXPONENT = /[.eE]/;
// A double keeps 15 digits.
const SURELY_KEPT = /^\d\.\d{1,14}e/i;

/**
 * The position of the first number above 2^53 in a valid JSON text that a double may not keep exactly. An integer of
 * digits alone may be an id, and a double changes every second id of that size, so each counts. A number with a point
 * or an exponent is a measurement: it counts only when it changes. Called only for texts that have a number of that
 * size.
 */
export function lostDigitsIn(text: string): number | undefined {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) i = endOfStringIn(text, i);
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
  if (!POINT_OR_EXPONENT.test(number)) return number.length > LARGEST.length || number > LARGEST;
  if (SURELY_KEPT.test(number)) return false;
  const given = integerPart(number);
  if (given.length < LARGEST.length) return false;
  if (given.length === LARGEST.length && given.digits.padEnd(given.length, '0') <= LARGEST) return false;
  const kept = integerPart(String(Number(number)));
  const written = Math.max(given.digits.length, kept.digits.length);
  return (
    given.length !== kept.length || given.digits.padEnd(written, '0') !== kept.digits.padEnd(written, '0')
  );
}

/** The digits before the point in plain notation, as far as they are written, and how many they are with their zeros. */
function integerPart(number: string): { digits: string; length: number } {
  const [mantissa, exponent = '0'] = number.toLowerCase().split('e');
  const [whole, fraction = ''] = mantissa!.split('.');
  const all = whole + fraction;
  const first = all.search(/[1-9]/);
  if (first === -1) return { digits: '', length: 0 };
  const length = Math.max(0, whole!.length - first + Number(exponent));
  return { digits: all.slice(first, first + length), length };
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

/** The index of the closing quotation mark. `start` is that of the opening one. */
export function endOfStringIn(text: string, start: number): number {
  let i = start + 1;
  while (text.charCodeAt(i) !== QUOTE) i += text.charCodeAt(i) === BACKSLASH ? 2 : 1;
  return i;
}
