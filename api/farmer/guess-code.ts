import { phoneOf, type FarmerSession } from '../../store/sessions/farmer-sessions';
import { takeTry, useTry } from '../../store/codes/sign-in-codes';
import type { Store } from '../../store/store';
import { countGuess } from '../limits/code-limits';

/**
 * Compares a code that was entered, after both counts: that of the code, then that of its phone. A database that goes away
 * between them fails the request.
 * @returns the milliseconds to wait when too many were entered for this phone
 */
export async function guessCode(
  store: Store,
  session: FarmerSession,
  code: string,
  device: string | undefined,
): Promise<'right' | 'wrong' | 'over' | { waitMs: number }> {
  const phone = phoneOf(store, session);
  const tried = await takeTry(store, session, phone);
  if (!tried) return 'over';
  const waitMs = await countGuess(store, { phone, device });
  return waitMs > 0 ? { waitMs } : useTry(store, tried, code);
}
