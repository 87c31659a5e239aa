import { InvalidArgumentError } from 'commander';
import { readPastInstant } from '../domain/past-instant';

/** Parses a past instant for `--timestamp` and `--since`. */
export function parseInstantOption(text: string): Date {
  const read = readPastInstant(text, Date.now());
  if (typeof read !== 'string') return read;
  throw new InvalidArgumentError(`It ${read}. Write it like 2026-10-01T00:00:00Z.`);
}
