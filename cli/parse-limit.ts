import { InvalidArgumentError } from 'commander';

export const MAX_LIMIT = 200;

/** Parses a number of rows for `--limit`. */
export function parseLimit(text: string): number {
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : NaN;
  if (limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new InvalidArgumentError(`Use 1 to ${MAX_LIMIT}.`);
}
