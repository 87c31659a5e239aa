import type { ClientSession } from 'mongodb';
import type { EntityType } from '../../domain/entity-types';
import { finishWire, keepPhones, type RenderedRecord } from '../../domain/render-record';
import type { Store } from '../store';
import { transact } from '../transact';
import { takePositions } from './counters';
import { writeElevators } from './elevators';
import { findUnchanged, isUnchanged, type Known, readKnown } from './known-records';
import { acquirePushLocks } from './push-locks';
import { type ReceiptState, readReceipts, writeReceipts } from './push-receipts';
import { records, RENDER_VERSION, type RecordDocument } from './records';
import { type PushOutcome, recordCount, type RenderedPush, typesOf } from './rendered-push';

/**
 * Stores pushes that wait together, all or nothing, in one transaction: as if one after the other, in their order
 * (docs/architecture.md#commit-order, rule 1). No two of them have the same receipt.
 * @param deadline milliseconds since 1970
 * @returns the outcome of each
 * @throws WriteTimeout; a duplicate key where another process has stored one of them meanwhile
 */
export async function storeGroup(
  store: Store,
  pushes: RenderedPush[],
  deadline: number,
): Promise<PushOutcome[]> {
  const receipts = await readReceipts(store, pushes);
  const fresh = pushes.filter((push) => receipts.get(push) === 'none');
  const unchanged = await findUnchanged(store, fresh);
  const changing = changingOf(fresh, unchanged);
  let changed = new Map<RenderedPush, number>();
  if (changing.length > 0) changed = await storeLocked(store, { changing, fresh }, deadline);
  else if (fresh.length > 0) await writeReceipts(store, fresh, changed);
  return pushes.map((push) => {
    const state = receipts.get(push)!;
    if (state !== 'none') return repeated(state);
    const count = changed.get(push) ?? 0;
    return { stored: true, changed: count, unchanged: recordCount(push) - count };
  });
}

/** Also those that change nothing but what an earlier one in the group changes. */
function changingOf(fresh: RenderedPush[], unchanged: Set<RenderedPush>): RenderedPush[] {
  if (unchanged.size === 0) return fresh;
  const touched = new Set<string>();
  return fresh.filter((push) => {
    const named = typesOf([push]).flatMap((type) => push.records[type].map(({ id }) => `${type} ${id}`));
    if (unchanged.has(push) && !named.some((one) => touched.has(one))) return false;
    named.forEach((one) => touched.add(one));
    return true;
  });
}

/** What came of a push whose receipt was there. */
export function repeated(state: ReceiptState): PushOutcome {
  return { stored: false, reason: state === 'same' ? 'repeated' : 'request_id_reused' };
}

/** Those that change something, and all that leave a receipt. */
interface Group {
  changing: RenderedPush[];
  fresh: RenderedPush[];
}

/** How many records each push has changed. */
type Changed = Map<RenderedPush, number>;

async function storeLocked(store: Store, group: Group, deadline: number): Promise<Changed> {
  const release = await acquirePushLocks(typesOf(group.changing), deadline - Date.now());
  try {
    return await store.client.withSession((session) =>
      transact(session, deadline, () => groupTransaction(store, group, session)),
    );
  } finally {
    release();
  }
}

async function groupTransaction(
  store: Store,
  { changing, fresh }: Group,
  session: ClientSession,
): Promise<Changed> {
  const changed: Changed = new Map();
  const taken: { type: EntityType; first: number; at: Date }[] = [];
  // Every counter before any record, in a fixed order: two groups of several types cannot deadlock.
  for (const type of typesOf(changing)) {
    const count = changing.reduce((sum, push) => sum + push.records[type].length, 0);
    taken.push({ type, ...(await takePositions(store, type, count, session)) });
  }
  for (const { type, first, at } of taken) {
    await writeChanged(store, type, { changing, changed, first, at, session });
  }
  for (const { companyId, elevators } of changing) {
    if (elevators.length > 0) await writeElevators(store, companyId, elevators, session);
  }
  await writeReceipts(store, fresh, changed, session);
  return changed;
}

interface Batch {
  changing: RenderedPush[];
  changed: Changed;
  first: number;
  at: Date;
  session: ClientSession;
}

async function writeChanged(store: Store, type: EntityType, batch: Batch): Promise<void> {
  const { changing, session } = batch;
  const pushed = changing.flatMap((push) => push.records[type]);
  const stored = await readKnown(store, type, pushed, session);
  const documents = applyInOrder(type, stored, batch);
  // Of one record pushed twice only the last is written, and the first one's position stays a gap.
  const writes = documents.map((document) =>
    stored.has(document._id)
      ? { replaceOne: { filter: { _id: document._id }, replacement: document } }
      : { insertOne: { document } },
  );
  if (writes.length > 0) await records(store, type).bulkWrite(writes, { ordered: false, session });
}

/** The records as the pushes leave them, one push after the other. */
function applyInOrder(
  type: EntityType,
  stored: Map<string, Known>,
  { changing, changed, first, at }: Batch,
): RecordDocument[] {
  const written = new Map<string, RecordDocument>();
  let position = first;
  for (const push of changing) {
    for (const pushed of push.records[type]) {
      const before = written.get(pushed.id) ?? stored.get(pushed.id);
      const rendered = keepPhones(pushed, before?.wire);
      const taken = position++;
      if (before && isUnchanged(rendered, before)) continue; // its position stays a gap
      written.set(rendered.id, toDocument(push.companyId, rendered, taken, at, before));
      changed.set(push, (changed.get(push) ?? 0) + 1);
    }
  }
  return [...written.values()];
}

function toDocument(
  companyId: string,
  rendered: RenderedRecord,
  position: number,
  at: Date,
  known: Known | undefined,
): RecordDocument {
  const created_at =
    rendered.created_at === undefined ? (known?.created_at ?? at) : new Date(rendered.created_at);
  const left = leftAccounts(rendered.account_ids, known);
  return {
    _id: rendered.id,
    company_id: companyId,
    account_ids: rendered.account_ids,
    ...(left.length > 0 ? { left_account_ids: left } : {}),
    position,
    updated_at: at,
    created_at,
    deleted_at: rendered.deleted_at === null ? null : new Date(rendered.deleted_at),
    hash: rendered.hash,
    wire: finishWire(rendered, created_at, at),
    render_version: RENDER_VERSION,
    ...(rendered.phones ? { phones: rendered.phones } : {}),
  };
}

/** The accounts that a record was corrected away from and has not returned to. */
function leftAccounts(now: string[], known: Known | undefined): string[] {
  if (!known) return [];
  const before = new Set([...(known.left_account_ids ?? []), ...known.account_ids]);
  return [...before].filter((account) => !now.includes(account));
}
