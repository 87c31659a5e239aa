import type { FindCursor } from 'mongodb';
import type { RecordType } from '../../domain/records/commands';
import type { EntityType } from '../../domain/records/entity-types';
import { formatInstant, parseInstant } from '../../domain/time/instants';
import { idsOfCompany, type RecordDocument, records } from '../records/records';
import type { Store } from '../store';
import { deletionOf, elevatorsAfter } from './elevators';

/** What is held of an ERP's record, under the ERP's own id. */
export interface Held {
  id: string;
  updated_at: string;
  /** Of a deleted one alone. */
  deleted_at?: string;
}

interface Part {
  /** The ERP's own id; empty: from the first. */
  after: string;
  limit: number;
}

/** The records of a company's type by their ids, deleted ones too. `more`: others come after these. */
export async function listPushed(
  store: Store,
  type: RecordType,
  company: string,
  { after, limit }: Part,
): Promise<{ held: Held[]; more: boolean }> {
  const { from } = idsOfCompany(company);
  const listed = (_id: string, updated_at: Date, deleted_at: string | undefined): Held => ({
    id: _id.slice(from.length),
    updated_at: formatInstant(updated_at),
    ...(deleted_at !== undefined && { deleted_at }),
  });
  if (type === 'elevators') {
    const { found, more } = await elevatorsAfter(store, [company], from + after, limit);
    const held = found.map((elevator) => {
      const at = deletionOf(elevator);
      return listed(elevator._id, elevator.updated_at, at && formatInstant(parseInstant(at)!));
    });
    return { held, more };
  }
  const found = await pushedAfter(store, type, company, { after, limit: limit + 1 }).toArray();
  const held = found.slice(0, limit).map(({ _id, updated_at, deleted_at }) => {
    return listed(_id, updated_at, deleted_at === null ? undefined : formatInstant(deleted_at));
  });
  return { held, more: found.length > limit };
}

/** By the index on `_id`: what others have stored costs nothing, and neither does what comes before `after`. */
export function pushedAfter(
  store: Store,
  type: EntityType,
  company: string,
  { after, limit }: Part,
): FindCursor<Pick<RecordDocument, '_id' | 'updated_at' | 'deleted_at'>> {
  const { from, to } = idsOfCompany(company);
  return records(store, type)
    .find({ _id: { $gt: from + after, $lt: to } })
    .project<Pick<RecordDocument, '_id' | 'updated_at' | 'deleted_at'>>({ updated_at: 1, deleted_at: 1 })
    .sort({ _id: 1 })
    .limit(limit);
}
