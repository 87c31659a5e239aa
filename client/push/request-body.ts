import { pathIn } from '../../domain/records/validate-push';
import { type Command } from '../../domain/records/commands';

/** Makes the body of a request from records, each as `recordText` writes it. */
export const requestBody = ({ name, recordType }: Command, records: readonly string[]): Buffer =>
  Buffer.from(`{"data":[{"${name}":{"${recordType}":[${records.join(',')}]}}]}`);

/** The path of the record with this index, as in messages of the service. */
export const placeInRequest = (command: Command, index: number) => `${pathIn('data[0]', command)}[${index}]`;

/**
 * Writes a record as JSON with every number as it was read. `JSON.stringify` writes 1e20 in digits, which looks like an
 * id with lost digits, and -0 as 0.
 */
export function recordText(value: unknown): string {
  if (typeof value === 'number') return numberText(value);
  if (Array.isArray(value)) return `[${value.map(recordText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, member]) => `${JSON.stringify(key)}:${recordText(member)}`,
  );
  return `{${members.join(',')}}`;
}

const numberText = (number: number): string =>
  Math.abs(number) > 2 ** 53 ? number.toExponential() : Object.is(number, -0) ? '-0' : String(number);
