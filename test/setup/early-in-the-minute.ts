import { setTimeout } from 'node:timers/promises';

const MINUTE = 60_000;
const NEEDED_MS = 10_000;
// The clocks of two processes agree to a second.
const APART_MS = 1_100;

/**
 * Waits for the next minute where little is left of this one: limits count by minutes of the clock. It waits until every process takes
 * it for the same minute.
 */
export async function earlyInTheMinute(): Promise<void> {
  const gone = Date.now() % MINUTE;
  if (gone < APART_MS) await setTimeout(APART_MS - gone);
  if (MINUTE - gone < NEEDED_MS) await setTimeout(MINUTE - gone + APART_MS);
}
