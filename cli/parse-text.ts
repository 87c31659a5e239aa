import { InvalidArgumentError } from 'commander';

/** A name for people: not empty, on one line. */
export function parseText(text: string): string {
  const trimmed = text.trim();
  if (trimmed.length > 0 && trimmed.length <= 200 && !/[\u0000-\u001f\u007f]/.test(trimmed)) return trimmed;
  throw new InvalidArgumentError('It must be 1 to 200 characters on one line.');
}
