import type { ClientSession } from 'mongodb';
import { ENTITY_TYPES, type EntityType } from '../domain/entity-types';
import { finishWire, type RenderedRecord } from '../domain/render-record';
import type { PushedRecord } from '../domain/validate-push';
import type { Store } from './connect';
import { seeNewest, takePositions } from './counters';
import { writeElevators } from './elevators';
import { readReceipt, receiptAfterConflict, writeReceipt } from './push-receipts';
import { records, RENDER_VERSION, type RecordDocument } from './records';
import { waitForTurn } from './push-turn';
import { TurnTimeout } from './unavailable';

/** A validated push, rendered and hashed before its transaction begins, to keep that short (commit-order 1). */
export interface RenderedPush {
  /** `<integration id>/<request id>` */
  receiptId: string;
  bodyHash: Buffer;
  companyId: string;
  records: Record<EntityType, RenderedRecord[]>;
  elevators: PushedRecord[];
}

export type PushOutcome =
  | { stored: true; changed: number; unchanged: number }
  | { stored: false; reason: 'repeated' | 'request_id_reused' };

type Known = Pick<RecordDocument, '_id' | 'hash' | 'created_at'>;

// A push that cannot get its turn within this answers 503 (contract 2).
const TURN_MS = 25_000;

/**
 * Stores a push, all or nothing, in one transaction (commit-order 1).
 * @throws TurnTimeout, or an error for which `isUnavailable` is true, when it could not be stored in time.
 */
export async function storePush(store: Store, push: RenderedPush): Promise<PushOutcome> {
  const before = await readReceipt(store, push.receiptId, push.bodyHash);
  if (before !== 'none') return repeated(before);
  try {
    if (await changesNothing(store, push)) {
      await writeReceipt(store, push.receiptId, push.bodyHash);
      return { stored: true, changed: 0, unchanged: recordCount(push) };
    }
    return await inTurn(store, push);
  } catch (error) {
    return repeated(await receiptAfterConflict(store, push.receiptId, push.bodyHash, error));
  }
}

async function inTurn(store: Store, push: RenderedPush): Promise<PushOutcome> {
  const deadline = Date.now() + TURN_MS;
  const leave = await waitForTurn(typesOf(push), TURN_MS);
  let tries = 0;
  try {
    return await store.client.withSession((session) =>
      session.withTransaction(() => {
        // The driver tries again for two minutes, with a growing pause, and knows no shorter limit.
        if (tries++ > 0 && Date.now() > deadline) throw new TurnTimeout(`no turn after ${tries} tries`);
        return pushTransaction(store, push, session);
      }),
    );
  } finally {
    leave();
  }
}

async function pushTransaction(
  store: Store,
  push: RenderedPush,
  session: ClientSession,
): Promise<PushOutcome> {
  let changed = 0;
  const turns: { type: EntityType; first: number; at: Date }[] = [];
  // Every counter before any record, in the fixed order: two pushes of several types cannot cross.
  for (const type of typesOf(push)) {
    turns.push({ type, ...(await takePositions(store, type, push.records[type].length, session)) });
  }
  for (const { type, first, at } of turns) {
    const rendered = push.records[type];
    const known = await readKnown(store, type, rendered, session);
    changed += await writeChanged(store, push.companyId, type, { rendered, known, first, at, session });
  }
  if (push.elevators.length > 0) await writeElevators(store, push.companyId, push.elevators, session);
  await writeReceipt(store, push.receiptId, push.bodyHash, session);
  return { stored: true, changed, unchanged: recordCount(push) - changed };
}

async function writeChanged(
  store: Store,
  companyId: string,
  type: EntityType,
  batch: {
    rendered: RenderedRecord[];
    known: Map<string, Known>;
    first: number;
    at: Date;
    session: ClientSession;
  },
): Promise<number> {
  const writes = batch.rendered.flatMap((rendered, index) => {
    const known = batch.known.get(rendered.id);
    if (known && isUnchanged(rendered, known)) return []; // its position stays a gap
    const document = toDocument(companyId, rendered, batch.first + index, batch.at, known);
    return known
      ? { replaceOne: { filter: { _id: rendered.id }, replacement: document } }
      : { insertOne: { document } };
  });
  if (writes.length > 0) {
    await records(store, type).bulkWrite(writes, { ordered: false, session: batch.session });
  }
  return writes.length;
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
  return {
    _id: rendered.id,
    company_id: companyId,
    account_ids: rendered.account_ids,
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

// `created_at` is not in the hash: an ERP that stops sending it has not changed the record (contract 2, "equal").
function isUnchanged(rendered: RenderedRecord, known: Known): boolean {
  const sameCreation =
    rendered.created_at === undefined || rendered.created_at === known.created_at.getTime();
  return sameCreation && rendered.hash.equals(known.hash);
}

async function changesNothing(store: Store, push: RenderedPush): Promise<boolean> {
  if (push.elevators.length > 0) return false;
  const types = typesOf(push);
  // One record of each type tells most pushes that change something.
  for (const type of types) {
    if (!(await allUnchanged(store, type, push.records[type].slice(0, 1)))) return false;
  }
  return store.client.withSession({ causalConsistency: true }, async (session) => {
    await seeNewest(store, session);
    for (const type of types) {
      if (!(await allUnchanged(store, type, push.records[type], session))) return false;
    }
    return true;
  });
}

async function allUnchanged(
  store: Store,
  type: EntityType,
  batch: RenderedRecord[],
  session?: ClientSession,
): Promise<boolean> {
  const known = await readKnown(store, type, batch, session);
  return batch.every((rendered) => {
    const stored = known.get(rendered.id);
    return stored !== undefined && isUnchanged(rendered, stored);
  });
}

// Larger lists would be a blocking sort to some servers and quadratic to others (performance, toolchain).
const IDS_AT_ONCE = 200;

async function readKnown(
  store: Store,
  type: EntityType,
  rendered: RenderedRecord[],
  session?: ClientSession,
): Promise<Map<string, Known>> {
  const known = new Map<string, Known>();
  const ids = rendered.map(({ id }) => id);
  while (ids.length > 0) {
    const found = records(store, type).find<Known>(
      { _id: { $in: ids.splice(0, IDS_AT_ONCE) } },
      { projection: { hash: 1, created_at: 1 }, batchSize: IDS_AT_ONCE, ...(session ? { session } : {}) },
    );
    for (const record of await found.toArray()) known.set(record._id, record);
  }
  return known;
}

const typesOf = (push: RenderedPush) => ENTITY_TYPES.filter((type) => push.records[type].length > 0);

const recordCount = (push: RenderedPush) =>
  ENTITY_TYPES.reduce((count, type) => count + push.records[type].length, 0);

function repeated(state: 'none' | 'same' | 'other'): PushOutcome {
  return { stored: false, reason: state === 'same' ? 'repeated' : 'request_id_reused' };
}
