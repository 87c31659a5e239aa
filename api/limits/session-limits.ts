import { countAttempt, type AttemptLimit } from '../../store/codes/attempt-counts';
import type { Store } from '../../store/store';
import { addressKey } from './rate-limit';

const WINDOW_MS = 10 * 60_000;

// Each opened link stores a session. Many farmers share one address of a cellular network, and a customer writes to all
// its farmers on one day.
const OF_ADDRESS: AttemptLimit = { limit: 600, windowMs: WINDOW_MS };
const OF_CHANNEL: AttemptLimit = { limit: 10_000, windowMs: WINDOW_MS };

/**
 * Counts a link, or a visit without one, that is about to open a session.
 * @returns 0, or the milliseconds to wait when it was one too many
 */
export async function countSession(
  store: Store,
  address: string,
  channel: string | undefined,
): Promise<number> {
  const whose = channel === undefined ? 'sharing' : `channel/${channel}`;
  // The address comes first: an address over its limit uses up nothing of the channel's limit.
  return (
    (await countAttempt(store, `link/address/${addressKey(address)}`, OF_ADDRESS)) ||
    (await countAttempt(store, `link/${whose}`, OF_CHANNEL))
  );
}
