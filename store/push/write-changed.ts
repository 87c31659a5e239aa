import { timeNow } from '../../domain/time/elapsed';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { ClientSession, UnorderedBulkOperation } from 'mongodb';
import type { EntityType } from '../../domain/records/entity-types';
import { leftAccounts } from '../../domain/records/left-accounts';
import type { RecordToRender } from '../../domain/records/record-to-render';
import { refuseTooLarge } from '../../domain/records/record-too-large';
import { asStored, finishWire, type RenderedRecord } from '../../domain/records/render-record';
import { isSampled } from '../../domain/settings/tracing';
import type { Store } from '../store';
import { isUnchanged, type Known, readKnown } from './known-records';
import { records, RENDER_VERSION, type RecordDocument } from '../records/records';
import type { ValidPush } from './valid-push';

/** What the pushes of a group change in one entity type. */
interface TypeOfGroup {
  changing: ValidPush[];
  /** How many records each push has changed. */
  changed: Map<ValidPush, number>;
  first: number;
  at: Date;
  session: ClientSession;
}

// A few milliseconds of rendering, next to which a command to the database costs little.
const WRITTEN_AT_ONCE = 500;
const RENDERED_AT_ONCE = 250;

/**
 * Writes the records that change, and renders and encodes the next ones while the database writes.
 * @returns how many positions they have taken, from the first one on
 * @throws RecordTooLarge, TooMuchStored
 */
export async function writeChanged(store: Store, type: EntityType, given: TypeOfGroup): Promise<number> {
  const group = { ...given, next: given.first };
  const { changing, session } = group;
  const pushed = changing.flatMap((push) => push.records[type]);
  const reading = readKnown(store, type, pushed, session);
  let writes: UnorderedBulkOperation | undefined;
  for (const part of partsOf(type, group)) {
    const encoded = Promise.all([reading, render(part)]).then(([stored]) =>
      encode(store, type, applyInOrder(type, part, stored, group), stored),
    );
    [, writes] = await Promise.all([execute(writes, session), encoded]);
  }
  await execute(writes, session);
  return group.next - group.first;
}

/**
 * Goes through what `writeChanged` would write of one push, by what is stored now, and writes nothing.
 * @returns how many records would change
 * @throws RecordTooLarge, TooMuchStored
 */
export async function tryChanged(store: Store, type: EntityType, push: ValidPush): Promise<number> {
  const stored = await readKnown(store, type, push.records[type]);
  const group = { changing: [push], changed: new Map<ValidPush, number>(), next: 0, at: timeNow() };
  for (const part of partsOf(type, group)) {
    await render(part);
    applyInOrder(type, part, stored, group);
  }
  return group.changed.get(push) ?? 0;
}

/** Makes one bulk write of the documents. The driver encodes each one as it is added, so that this takes most of the time. */
function encode(
  store: Store,
  type: EntityType,
  documents: RecordDocument[],
  stored: Map<string, Known>,
): UnorderedBulkOperation {
  const writes = records(store, type).initializeUnorderedBulkOp();
  for (const document of documents) {
    if (stored.has(document._id)) writes.find({ _id: document._id }).replaceOne(document);
    else writes.insert(document);
  }
  return writes;
}

async function execute(writes: UnorderedBulkOperation | undefined, session: ClientSession): Promise<void> {
  if (writes && writes.length > 0) await writes.execute({ session });
}

/** Yields between batches, so that the command to the database is sent and other requests run. */
async function render(part: Placed[]): Promise<void> {
  for (let begin = 0; begin < part.length; begin += RENDERED_AT_ONCE) {
    await yieldToEventLoop();
    for (const { pushed } of part.slice(begin, begin + RENDERED_AT_ONCE)) void pushed.rendered;
  }
}

/** A record with its push. */
interface Placed {
  push: ValidPush;
  pushed: RecordToRender;
}

/** Splits the records of one push into parts. Those of several pushes stay in one part, as two pushes may have the same record. */
function partsOf(type: EntityType, { changing }: Pick<TypeOfGroup, 'changing'>): Placed[][] {
  const placed = changing.flatMap((push) => push.records[type].map((pushed): Placed => ({ push, pushed })));
  if (changing.length > 1) return [placed];
  const parts: Placed[][] = [];
  while (placed.length > 0) parts.push(placed.splice(0, WRITTEN_AT_ONCE));
  return parts;
}

/**
 * The records as the pushes leave them, one push after the other. Each that changes takes the next position. A record that is
 * pushed twice is written once, as it was last pushed, and its first position stays a gap.
 * @throws RecordTooLarge
 */
function applyInOrder(
  type: EntityType,
  part: Placed[],
  stored: Map<string, Known>,
  group: Pick<TypeOfGroup, 'changed' | 'at'> & { next: number },
): RecordDocument[] {
  const { changed, at } = group;
  const written = new Map<string, RecordDocument>();
  for (const { push, pushed } of part) {
    const before = written.get(pushed.id) ?? stored.get(pushed.id);
    const rendered = asStored(pushed.rendered, before, at);
    if (before ? isUnchanged(rendered, before) : rendered.keepsContent) continue;
    const document = toDocument(push, rendered, group.next++, at, before);
    const { _id: id, wire, account_ids, left_account_ids, phones } = document;
    refuseTooLarge(type, { id, bytes: wire.length, lists: [account_ids, left_account_ids, phones] });
    written.set(document._id, document);
    changed.set(push, (changed.get(push) ?? 0) + 1);
  }
  return [...written.values()];
}

function toDocument(
  { companyId, trace }: ValidPush,
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
    ...(trace !== undefined && isSampled(trace) ? { trace } : {}),
  };
}
