const OUTSIDE = new Set(['_id', 'hash', 'signature']);

/** All fields in alphabetical order, so that the text does not depend on the order in the document. */
export function fieldsOf(consent: object): string {
  const fields = Object.entries(consent).filter(([name]) => !OUTSIDE.has(name));
  return JSON.stringify(fields.sort(([a], [b]) => (a < b ? -1 : 1)));
}
