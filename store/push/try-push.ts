import type { Store } from '../store';
import { elevatorWrites } from './elevators';
import { readReceipts } from './push-receipts';
import { repeated } from './store-group';
import { type PushOutcome, recordCount, typesOf, type ValidPush } from './valid-push';
import { tryChanged } from './write-changed';

/**
 * The outcome that `storePush` would have by what is stored now. Stores nothing, and neither takes a lock nor waits for one.
 * @throws RecordTooLarge, TooMuchStored as storing it would
 */
export async function tryPush(store: Store, push: ValidPush): Promise<PushOutcome> {
  const state = (await readReceipts(store, [push])).get(push)!;
  if (state !== 'none') return repeated(state);
  let changed = 0;
  for (const type of typesOf([push])) changed += await tryChanged(store, type, push);
  await elevatorWrites(store, push.companyId, push.elevators);
  return { stored: true, changed, unchanged: recordCount(push) - changed };
}
