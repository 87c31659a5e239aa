import { masked } from '../../domain/text/masked';
import { timeNow } from '../../domain/time/elapsed';
import type { EntityType } from '../../domain/records/entity-types';
import { type Ending, endings } from '../callers/endings';
import { findRecord } from '../records/records';
import type { Store } from '../store';

/** Begins the end of one record, as a company ends. @returns null where there is no such record */
export async function eraseRecord(
  store: Store,
  type: EntityType,
  id: string,
  reason: string,
): Promise<Ending | null> {
  const record = await findRecord(store, type, id);
  if (!record) return null;
  const company = { id: record.company_id, name: record.company_id };
  const ending = { company, record: { type, id }, reason: masked(reason), erase_at: timeNow() };
  const update = { $setOnInsert: ending };
  return endings(store).findOneAndUpdate({ _id: `${type}/${id}` }, update, {
    upsert: true,
    returnDocument: 'after',
  });
}
