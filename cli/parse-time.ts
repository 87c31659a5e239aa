import { InvalidArgumentError } from 'commander';
import { parseCadence } from '../domain/cadence';

/** Parses a time for an option, 1 second to 24 hours. @returns milliseconds */
export function parseTime(text: string): number {
  const time = parseCadence(text);
  if (time === undefined) throw new InvalidArgumentError('Use a time like 30s, 15m or 1h.');
  return time;
}
