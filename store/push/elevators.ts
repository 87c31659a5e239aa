import type { ClientSession } from 'mongodb';
import { formatInstant } from '../../domain/instants';
import { refuseTooLarge } from '../../domain/record-too-large';
import { isBareDeletion, isUndatedDeletion } from '../../domain/deletion';
import type { PushedRecord } from '../../domain/validate-push';
import type { Store } from '../store';
import { batchesOf, byFirstId, idsOfCompany } from '../records/records';

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

/** @throws RecordTooLarge */
export async function writeElevators(
  store: Store,
  companyId: string,
  pushed: PushedRecord[],
  session: ClientSession,
): Promise<void> {
  const updated_at = new Date();
  const written = await withStored(store, companyId, pushed, session);
  if (written.length === 0) return;
  await elevators(store).bulkWrite(
    written.map((elevator) => {
      const { id, json } = elevatorAsStored(companyId, elevator, updated_at);
      const replacement = { company_id: companyId, json, updated_at };
      return { replaceOne: { filter: { _id: id }, replacement, upsert: true } };
    }),
    { ordered: false, session },
  );
}

/** Deletions with what they keep of the stored elevator; without those of nothing (docs/contract.md E17). */
async function withStored(
  store: Store,
  companyId: string,
  pushed: PushedRecord[],
  session: ClientSession,
): Promise<PushedRecord[]> {
  const deletions = pushed.filter((one) => isUndatedDeletion(one) || isBareDeletion(one));
  const byId = new Map(deletions.map((one) => [`${companyId}-${one.id}`, one]));
  const whole = new Map<string, PushedRecord>();
  for (const some of batchesOf([...byId.keys()])) {
    for await (const { _id, json } of elevators(store).find({ _id: { $in: some } }, { session })) {
      const [one, before] = [byId.get(_id)!, JSON.parse(json.toString()) as PushedRecord];
      const deleted_at = one['deleted_at'] ?? before['deleted_at'];
      whole.set(one.id, { ...(isBareDeletion(one) ? { ...before, deleted: true } : one), deleted_at });
    }
  }
  return pushed.flatMap((one) => whole.get(one.id) ?? (isBareDeletion(one) ? [] : [one]));
}

/** When a stored elevator was deleted, as its ERP wrote it. */
export function deletionOf({ json }: Pick<ElevatorDocument, 'json'>): string | undefined {
  const { deleted_at } = JSON.parse(json.toString()) as { deleted_at?: string | null };
  return deleted_at ?? undefined;
}

/**
 * @param deletedAt when it is, if it says only that it is deleted
 * @throws RecordTooLarge
 */
export function elevatorAsStored(
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

// What a page of them has at most, unless one alone has more: an elevator may have as many bytes as a record.
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
