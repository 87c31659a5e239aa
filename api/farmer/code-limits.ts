import { countAttempt, uncountAttempt, type AttemptLimit } from '../../store/attempt-counts';
import type { Store } from '../../store/connect';
import { addressKey } from '../rate-limit';

const MINUTES = 60_000;
const HOURS = 60 * MINUTES;

interface Counted {
  phone: string;
  address: string;
  channel: string;
}

// Many farmers share one address of a cellular network, and a customer writes to all its farmers on one day.
const LIMITS: { what: (counted: Counted) => string; limit: AttemptLimit }[] = [
  { what: ({ phone }) => `code/phone/${phone}`, limit: { limit: 3, windowMs: 10 * MINUTES } },
  { what: ({ phone }) => `code/phone-day/${phone}`, limit: { limit: 10, windowMs: 24 * HOURS } },
  {
    what: ({ address }) => `code/address/${addressKey(address)}`,
    limit: { limit: 60, windowMs: 10 * MINUTES },
  },
  { what: ({ channel }) => `code/channel/${channel}`, limit: { limit: 1_000, windowMs: 10 * MINUTES } },
];

/** Counts one text. @returns 0, or the milliseconds to wait when it was one too many */
export async function countCode(store: Store, counted: Counted): Promise<number> {
  for (const [index, { what, limit }] of LIMITS.entries()) {
    const waitMs = await countAttempt(store, what(counted), limit);
    if (waitMs === 0) continue;
    // Nothing is sent, so it counts nowhere: else an address that is over its limit could use up those of others.
    await uncountCode(store, counted, LIMITS.slice(0, index));
    return waitMs;
  }
  return 0;
}

/** A text that was not sent does not count. */
export async function uncountCode(store: Store, counted: Counted, limits = LIMITS): Promise<void> {
  for (const { what } of limits) await uncountAttempt(store, what(counted));
}
