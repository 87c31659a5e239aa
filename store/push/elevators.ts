import { timeNow } from '../../domain/time/elapsed';
import type { AnyBulkWriteOperation, ClientSession } from 'mongodb';
import { formatInstant } from '../../domain/time/instants';
import { refuseTooLarge } from '../../domain/records/record-too-large';
import { isBareDeletion, isDeletedAnew, isUndatedDeletion } from '../../domain/records/deletion';
import type { PushedRecord } from '../../domain/records/validate-push';
import type { Store } from '../store';
import { batchesOf, byFirstId, idsOfCompany } from '../records/records';
import { countStored } from './stored-bytes';

/** A location: stored and listed for operators and customers, not fed. */
export interface ElevatorDocument {
  /** `<company_id>-<id>` */
  _id: string;
  company_id: string;
  /** The JSON as pushed; bytes, because the ERP chooses its keys (`$`, dots, `_bsontype`). */
  json: Buffer;
  updated_at: Date;
}

const elevators = (store: Store) => store.db.collection<ElevatorDocument>('elevators');

/**
 * Writes the elevators that differ from what is stored. A bare deletion of what is not stored is ignored (docs/contract.md E17).
 * @throws RecordTooLarge, TooMuchStored
 */
export async function writeElevators(
  store: Store,
  companyId: string,
  pushed: PushedRecord[],
  session: ClientSession,
): Promise<void> {
  const writes = await elevatorWrites(store, companyId, pushed, session);
  if (writes.length > 0) await elevators(store).bulkWrite(writes, { ordered: false, session });
}

/** The writes for the elevators that differ from what is stored. @throws RecordTooLarge, TooMuchStored */
export async function elevatorWrites(
  store: Store,
  companyId: string,
  pushed: PushedRecord[],
  session?: ClientSession,
): Promise<AnyBulkWriteOperation<ElevatorDocument>[]> {
  const updated_at = timeNow();
  const before = await storedOf(store, companyId, pushed, session);
  return pushed.flatMap((one) => {
    const stored = before.get(one.id);
    if (stored === undefined && isBareDeletion(one)) return [];
    const whole = stored === undefined ? one : completed(one, stored);
    const { id, json } = elevatorAsStored(companyId, whole, updated_at);
    if (json.toString() === stored) return [];
    const replacement = { company_id: companyId, json, updated_at };
    return [{ replaceOne: { filter: { _id: id }, replacement, upsert: true } }];
  });
}

/** The JSON of those that are stored, by the ERP's own id. @throws TooMuchStored */
async function storedOf(
  store: Store,
  companyId: string,
  pushed: PushedRecord[],
  session: ClientSession | undefined,
): Promise<Map<string, string>> {
  const own = new Map(pushed.map(({ id }) => [`${companyId}-${id}`, id]));
  const stored = new Map<string, string>();
  const count = countStored();
  for (const some of batchesOf([...own.keys()]))
    for await (const { _id, json } of elevators(store).find(
      { _id: { $in: some } },
      { ...(session && { session }) },
    )) {
      count(json.length);
      stored.set(own.get(_id)!, json.toString());
    }
  return stored;
}

/** A deletion with what it keeps of the stored elevator: the time of an earlier deletion, and all else where it is bare. */
function completed(one: PushedRecord, stored: string): PushedRecord {
  if (isDeletedAnew(one) || (!isUndatedDeletion(one) && !isBareDeletion(one))) return one;
  const before = JSON.parse(stored) as PushedRecord;
  const deleted_at = one['deleted_at'] ?? before['deleted_at'];
  return { ...(isBareDeletion(one) ? { ...before, deleted: true } : one), deleted_at };
}

/** When a stored elevator was deleted, as its ERP wrote it. */
export function deletionOf({ json }: Pick<ElevatorDocument, 'json'>): string | undefined {
  const { deleted_at } = JSON.parse(json.toString()) as { deleted_at?: string | null };
  return deleted_at ?? undefined;
}

/**
 * @param deletedAt the time of deletion, for an elevator that is pushed as deleted without one
 * @throws RecordTooLarge
 */
function elevatorAsStored(
  companyId: string,
  elevator: PushedRecord,
  deletedAt: Date,
): { id: string; json: Buffer } {
  const id = `${companyId}-${elevator.id}`;
  const { deleted: _, ...stands } = elevator;
  const shown = isUndatedDeletion(elevator) ? { ...stands, deleted_at: formatInstant(deletedAt) } : stands;
  const json = Buffer.from(JSON.stringify(shown));
  refuseTooLarge('elevators', { id, bytes: json.length });
  return { id, json };
}

export async function findElevators(store: Store, companyId?: string): Promise<ElevatorDocument[]> {
  return elevators(store)
    .find(companyId === undefined ? {} : { company_id: companyId })
    .sort({ _id: 1 })
    .toArray();
}

// The most bytes on a page of elevators, unless a single one has more: it may be as large as a record.
const MOST_BYTES = 8 * 2 ** 20;

/**
 * The elevators after `after` in the order of their ids, of these companies or of all when none is named; at most `limit`
 * of them, and 8 MiB. `more`: others come after these.
 */
export async function elevatorsAfter(
  store: Store,
  companies: readonly string[],
  after: string,
  limit: number,
): Promise<{ found: ElevatorDocument[]; more: boolean }> {
  const ranges =
    companies.length === 0 ? [{ from: '', to: undefined }] : companies.map(idsOfCompany).sort(byFirstId);
  const found: ElevatorDocument[] = [];
  let bytes = 0;
  for (const { from, to } of ranges) {
    if (to !== undefined && after >= to) continue;
    const range = { $gt: after > from ? after : from, ...(to !== undefined && { $lt: to }) };
    const following = elevators(store)
      .find({ _id: range })
      .sort({ _id: 1 })
      .limit(limit + 1 - found.length);
    for await (const elevator of following) {
      bytes += elevator.json.length;
      if (found.length === limit || (found.length > 0 && bytes > MOST_BYTES)) return { found, more: true };
      found.push(elevator);
    }
  }
  return { found, more: false };
}

export const countElevators = (store: Store, company: string): Promise<number> =>
  elevators(store).countDocuments({ company_id: company });

/** Those of a company that is erased. */
export async function forgetElevators(store: Store, company: string, before: Date): Promise<void> {
  await elevators(store).deleteMany({ company_id: company, updated_at: { $lt: before } });
}
