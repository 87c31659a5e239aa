import { InvalidArgumentError } from 'commander';
import { oneLine } from '../domain/one-line';

/** A non-empty text on one line. */
export function parseText(text: string): string {
  const line = oneLine(text);
  if (line !== undefined) return line;
  throw new InvalidArgumentError('It must be 1 to 200 characters on one line.');
}
