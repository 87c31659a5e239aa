/** The ten digits of a typed number, or undefined. Blanks, dashes, brackets, dots and +1 are accepted. */
export function parsePhone(text: string): string | undefined {
  const digits = text.replace(/[\s().\-\u2010-\u2015]/g, '').replace(/^\+?1(?=\d{10}$)/, '');
  return /^\d{10}$/.test(digits) ? digits : undefined;
}
