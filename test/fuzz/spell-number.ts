export const EXPONENTS = ['e', 'E', 'e+', 'E+00'] as const;

/** The most places that the point may move. */
export const FARTHEST = 30;

export interface Spelling {
  /** How many places the point stands before its own; behind it when negative. An exponent makes up for them. */
  shift: number;
  /** Behind the fraction, which a point then begins. */
  zeros: number;
  exponent: (typeof EXPONENTS)[number];
}

/** One whole number as JSON may write it: with its point anywhere, an exponent of either sign, zeros before and behind. */
export function spellNumber(digits: string, { shift, zeros, exponent }: Spelling): string {
  const around = '0'.repeat(FARTHEST);
  const text = `${around}${digits}${around}`;
  const point = FARTHEST + digits.length - shift;
  const whole = text.slice(0, point).replace(/^0+(?=\d)/, '');
  const fraction = text.slice(point).replace(/0+$/, '') + '0'.repeat(zeros);
  const sign = shift < 0 ? 'e' : exponent;
  return whole + (fraction && `.${fraction}`) + (shift === 0 && zeros === 0 ? '' : `${sign}${shift}`);
}
