import { batchesOf } from '../push/batches';
import { records } from '../push/records';
import type { Store } from '../store';
import { findFarmerId } from './farmers';

/**
 * The farmer's phone, of which only a hash is stored: one that these accounts carry now and that leads to the farmer. A
 * number that the accounts no longer carry is not found, as it may now be somebody else's.
 */
export async function phoneOfFarmer(
  store: Store,
  farmer: string,
  accounts: string[],
): Promise<string | undefined> {
  const tried = new Set<string>();
  for (const _id of batchesOf([...new Set(accounts)])) {
    const found = records(store, 'accounts').find({ _id: { $in: _id } }, { projection: { phones: 1 } });
    for await (const { phones = [] } of found) {
      for (const phone of phones) {
        if (tried.has(phone)) continue;
        tried.add(phone);
        if ((await findFarmerId(store, phone)) === farmer) return phone;
      }
    }
  }
  return undefined;
}
