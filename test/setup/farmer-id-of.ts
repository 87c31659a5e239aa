import { knownFarmer } from '../../store/consent/farmers';
import type { Store } from '../../store/store';
import { inTransaction } from '../../store/transact';

/** The farmer's id, found or made. */
export const farmerIdOf = (store: Store, phone: string): Promise<string> =>
  inTransaction(store, (session) => knownFarmer(store, phone, session));
