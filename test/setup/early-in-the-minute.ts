import { setTimeout } from 'node:timers/promises';

const MINUTE = 60_000;
const NEEDED_MS = 10_000;

/** Waits for the next minute where little is left of this one: limits count by minutes of the clock. */
export async function earlyInTheMinute(): Promise<void> {
  const left = MINUTE - (Date.now() % MINUTE);
  if (left < NEEDED_MS) await setTimeout(left + 5);
}
