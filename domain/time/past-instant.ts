import { parseInstant } from './instants';

// A caller's clock may be a little ahead of ours.
const AHEAD_MS = 5 * 60_000;

/** The earliest time that a reset or a new channel may go back to. No record is older. */
const EARLIEST = Date.UTC(2016, 0, 1);

/** Reads an instant of the past. @returns the instant, or the problem: "must not be before ..." */
export function readPastInstant(text: unknown, now: number): Date | string {
  const instant = typeof text === 'string' ? parseInstant(text) : undefined;
  if (instant === undefined) return 'must be an RFC 3339 date-time with an offset';
  if (instant < EARLIEST) return 'must not be before 2016-01-01T00:00:00Z';
  if (instant > now + AHEAD_MS) return 'must not be more than 5 minutes ahead';
  return new Date(instant);
}
