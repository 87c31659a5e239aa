import type { Store } from '../store';
import { forgetAttempts } from './attempt-counts';
import { phoneCounts } from './phone-counts';

/** Codes and guesses of a phone begin at nothing again, for browsers in which it has not been verified. */
export async function unlockPhone(store: Store, phone: string): Promise<void> {
  await forgetAttempts(store, Object.values(phoneCounts(phone, undefined)));
}
