import type { TSchema } from '@sinclair/typebox';
import { phoneDigits } from '../../domain/parse-phone';
import { legible } from '../../domain/pasted-text';
import type { Mapping } from './mapping';
import { dateReader } from './read-date';

type Convert = (text: string) => unknown;

const GROUPED = /^-?\d{1,3}(,\d{3})+(\.\d+)?$/;
const YES = /^(true|t|yes|y|1)$/i;
const NO = /^(false|f|no|n|0)$/i;

/**
 * How a cell's text becomes the value of a field: as the field's schema wants it, where that is plain. What it cannot
 * read it leaves, and the schema says what is wrong with it.
 */
export function converter(
  schema: TSchema | undefined,
  mapping: Pick<Mapping, 'dates' | 'time_zone'>,
): Convert {
  const { format, pattern, type } = (schema ?? {}) as { format?: string; pattern?: string; type?: string[] };
  if (type?.includes('boolean'))
    return plainly((text) => (YES.test(text) ? true : NO.test(text) ? false : text));
  if (type?.includes('number') && pattern) return plainly(decimal);
  if (pattern === '^\\d{1,20}$') return (text) => phoneDigits(text).replaceAll('+', '');
  if (format?.includes('date') && mapping.dates) {
    return plainly(dateReader(mapping.dates, mapping.time_zone, { day: format === 'date-or-date-time' }));
  }
  return (text) => text;
}

/** What is no text for people is read without what they cannot see, as between time and AM. */
const plainly =
  (convert: Convert): Convert =>
  (text) =>
    convert(legible(text));

/** `1,234.50` as `1234.50`, and `.5` as `0.5`. */
function decimal(text: string): string {
  const plain = GROUPED.test(text) ? text.replaceAll(',', '') : text;
  return plain.replace(/^(-?)\./, '$10.');
}
