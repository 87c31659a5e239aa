export function formatPhone(phone: string): string {
  return phone.replace(/^(\d{3})(\d{3})(\d{4})$/, '$1-$2-$3');
}

/** The only part of a number that is shown, or stored with a consent. */
export const endingOf = (phone: string) => phone.slice(-2);
