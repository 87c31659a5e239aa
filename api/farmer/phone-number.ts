/** What a farmer types as the ten digits it means, or undefined: blanks, dashes, brackets, dots and +1 are fine. */
export function parsePhone(text: string): string | undefined {
  const digits = text.replace(/[\s().\-\u2010-\u2015]/g, '').replace(/^\+?1(?=\d{10}$)/, '');
  return /^\d{10}$/.test(digits) ? digits : undefined;
}

export function formatPhone(phone: string): string {
  return phone.replace(/^(\d{3})(\d{3})(\d{4})$/, '$1-$2-$3');
}

/** All of a number that is ever shown or kept beside what was agreed. */
export const endingOf = (phone: string) => phone.slice(-2);
