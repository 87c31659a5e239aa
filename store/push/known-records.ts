import { timeNow } from '../../domain/time/elapsed';
import type { ClientSession } from 'mongodb';
import type { EntityType } from '../../domain/records/entity-types';
import type { RecordToRender } from '../../domain/records/record-to-render';
import { asStored, type RenderedRecord } from '../../domain/records/render-record';
import type { Store } from '../store';
import { readCeilings, seeNewest } from '../records/counters';
import { batchesOf, ofCompanies, records, type RecordDocument } from '../records/records';
import { countStored } from './stored-bytes';
import { type ValidPush, typesOf } from './valid-push';

const IDS_AT_ONCE = 1_000;
const KNOWN = {
  hash: 1,
  created_at: 1,
  updated_at: 1,
  deleted_at: 1,
  account_ids: 1,
  left_account_ids: 1,
} as const;

/** The stored version that a pushed record is compared with. `wire` only where a push may keep its phones or content. */
export type Known = Pick<RecordDocument, '_id' | keyof typeof KNOWN> & { wire?: Buffer };

/** @throws TooMuchStored */
export async function readKnown(
  store: Store,
  type: EntityType,
  pushed: RecordToRender[],
  session?: ClientSession,
): Promise<Map<string, Known>> {
  const known = new Map<string, Known>();
  const keeping = new Set(pushed.filter(({ keeps }) => keeps).map(({ id }) => id));
  const others = new Set(pushed.map(({ id }) => id).filter((id) => !keeping.has(id)));
  const find = (ids: string[], projection: object) =>
    records(store, type).find<Known>(
      { _id: { $in: ids } },
      { projection, batchSize: IDS_AT_ONCE, ...(session ? { session } : {}) },
    );
  const count = countStored();
  for (const ids of batchesOf([...keeping], IDS_AT_ONCE)) {
    for await (const record of find(ids, { ...KNOWN, wire: 1 })) {
      count(record.wire!.length);
      known.set(record._id, record);
    }
  }
  for (const ids of batchesOf([...others], IDS_AT_ONCE))
    for (const record of await find(ids, KNOWN).toArray()) known.set(record._id, record);
  return known;
}

// `created_at` is not in the hash: an ERP that stops sending it has not changed the record (docs/contract.md E7).
export function isUnchanged(rendered: RenderedRecord, known: Known): boolean {
  const sameCreation =
    rendered.created_at === undefined || rendered.created_at === known.created_at.getTime();
  return sameCreation && rendered.hash.equals(known.hash);
}

/** Pushes that change nothing of what is stored up to these positions. */
export interface Unchanged {
  pushes: ReadonlySet<ValidPush>;
  seen: Record<EntityType, number>;
}

/** The pushes that change nothing of what is acknowledged so far; undefined where there is none. @throws TooMuchStored */
export async function findUnchanged(store: Store, pushes: ValidPush[]): Promise<Unchanged | undefined> {
  const withoutElevators = pushes.filter(({ elevators }) => elevators.length === 0);
  // One record of each type reveals most pushes that change something.
  const likely = await unchangedAmong(store, withoutElevators, (list) => list.slice(0, 1));
  if (likely.length === 0) return undefined;
  return store.client.withSession({ causalConsistency: true }, async (session) => {
    await seeNewest(store, session);
    const seen = await readCeilings(store, session);
    return { pushes: new Set(await unchangedAmong(store, likely, (list) => list, session)), seen };
  });
}

/**
 * Whether they still change nothing: nothing of their companies has been stored since. Whoever holds the counters asks: a push that was
 * under way, and whose ERP was perhaps told that it failed, has ended then (docs/contract.md E11).
 */
export async function isStillUnchanged(
  store: Store,
  { pushes, seen }: Unchanged,
  session: ClientSession,
): Promise<boolean> {
  const theirs = ofCompanies({ companies: [...new Set([...pushes].map(({ companyId }) => companyId))] });
  for (const type of typesOf([...pushes])) {
    const since = { ...theirs, position: { $gt: seen[type] } };
    if (await records(store, type).findOne(since, { projection: { _id: 1 }, session })) return false;
  }
  return true;
}

async function unchangedAmong(
  store: Store,
  pushes: ValidPush[],
  compared: (list: RecordToRender[]) => RecordToRender[],
  session?: ClientSession,
): Promise<ValidPush[]> {
  let left = pushes;
  for (const type of typesOf(pushes)) {
    const lists = left.flatMap(({ records: { [type]: list } }) => compared(list));
    if (lists.length === 0) continue;
    const known = await readKnown(store, type, lists, session);
    left = left.filter((push) =>
      compared(push.records[type]).every((pushed) => {
        const stored = known.get(pushed.id);
        return stored !== undefined && isUnchanged(asStored(pushed.rendered, stored, timeNow()), stored);
      }),
    );
  }
  return left;
}
