import { timeIn, timeNow } from '../../domain/time/elapsed';
import type { EntityType } from '../../domain/records/entity-types';
import type { Company } from '../../domain/records/render-record';
import { MINUTE_MS } from '../../domain/time/spans';
import type { Store } from '../store';

/**
 * A company whose last ERP was closed, or one record, from then until nothing of it is left (docs/contract.md O28). Each step finds
 * what is left by what is stored, so it is begun again at any moment.
 */
export interface Ending {
  /** The company's id, or `<type>/<record id>`: no company's id has a slash. */
  _id: string;
  company: Company;
  /** That record alone. */
  record?: { type: EntityType; id: string };
  reason: string;
  /** From then on it is deleted, and then erased. */
  erase_at: Date;
  /** Up to these positions nothing is left to delete. */
  deleted_to?: Partial<Record<EntityType, number>>;
  /** When its customers had confirmed the deletions, or were given up. */
  told_at?: Date;
  /** Until then it is one process's. */
  taken_until?: Date;
}

export const endings = (store: Store) => store.db.collection<Ending>('endings');

/** Those whose time has come. */
export const listDue = (store: Store, now: Date): Promise<Ending[]> =>
  endings(store)
    .find({ erase_at: { $lte: now } })
    .sort({ erase_at: 1 })
    .toArray();

const TAKEN_MS = 3 * MINUTE_MS;

/** Takes it for this process, unless another one has it: two would only do the same twice. */
export async function takeEnding(store: Store, { _id, erase_at }: Ending): Promise<Ending | null> {
  const free = { _id, erase_at, taken_until: { $not: { $gt: timeNow() } } };
  const taken = { $set: { taken_until: timeIn(TAKEN_MS) } };
  return endings(store).findOneAndUpdate(free, taken, { returnDocument: 'after' });
}

/** Keeps how far it is; nothing where it was closed again since. */
export async function noteEnding(
  store: Store,
  { _id, erase_at }: Ending,
  known: Partial<Pick<Ending, 'deleted_to' | 'told_at' | 'taken_until'>>,
): Promise<void> {
  await endings(store).updateOne({ _id, erase_at }, { $set: known });
}

export async function removeEnding(store: Store, { _id, erase_at }: Ending): Promise<void> {
  await endings(store).deleteOne({ _id, erase_at });
}
