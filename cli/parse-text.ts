import { InvalidArgumentError } from 'commander';
import { oneLine } from '../domain/one-line';

/** A name for people: not empty, on one line. */
export function parseText(text: string): string {
  const line = oneLine(text);
  if (line !== undefined) return line;
  throw new InvalidArgumentError('It must be 1 to 200 characters on one line.');
}
