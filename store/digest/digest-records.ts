import type { Document, Filter, FindCursor } from 'mongodb';
import type { EntityType } from '../../domain/records/entity-types';
import { byFirstId, idsOfCompany, type RecordDocument, records } from '../records/records';
import type { Store } from '../store';
import { definedOptions, readBatches, type ReadOptions, seeksOf } from '../window/seek-positions';
import { isOfSelection } from '../window/selection';
import { type DigestBase, isPending } from './digest-base';

/** A record that the customer already holds at this version, unless it is pending. */
export interface DigestRecord {
  id: string;
  updated_at: Date;
  pending: boolean;
}

const VERSION = { position: 1, updated_at: 1 };
const WITH_ACCOUNTS = { ...VERSION, company_id: 1, account_ids: 1, left_account_ids: 1 };
type Found = Pick<RecordDocument, '_id' | keyof typeof WITH_ACCOUNTS>;

const BATCH = 2_000;
// Of all cursors together: about 15 MB.
const MOST_HELD = 50_000;

/**
 * The channel's records in the order of their ids' bytes, each once. What farmers share is sought by account, so that it does
 * not cost a walk over everybody's records.
 */
export async function* digestRecords(
  store: Store,
  type: EntityType,
  base: DigestBase,
  options: ReadOptions,
  mostHeld = MOST_HELD,
): AsyncGenerator<DigestRecord[]> {
  const { shared } = base.selection;
  if (shared?.size === 0) return;
  const batches = shared
    ? ofAccounts(store, type, base, { mostHeld, ...options })
    : ofCompanies(store, type, base, options);
  for await (const batch of batches)
    yield batch.map((found) => {
      const { _id: id, updated_at } = found;
      return { id, updated_at, pending: isPending(base, found) };
    });
}

/** An id never changes, so a walk over the ids meets every record once, whatever changes concurrently. */
async function* ofCompanies(
  store: Store,
  type: EntityType,
  { selection: { companies } }: DigestBase,
  options: ReadOptions,
): AsyncGenerator<Found[]> {
  const ranges = companies.map(idsOfCompany).sort(byFirstId);
  const filters = ranges.map(({ from, to }): Filter<RecordDocument> => ({ _id: { $gte: from, $lt: to } }));
  for (const filter of companies.length === 0 ? [{}] : filters)
    yield* readBatches(inOrderOfIds(store, type, filter, { batch: BATCH, fields: VERSION, ...options }));
}

/**
 * A record that changes account while its accounts are read can be missed at both. It has then changed since the ceiling: after
 * each stretch what has been stored since is read upwards, where no record can escape.
 */
async function* ofAccounts(
  store: Store,
  type: EntityType,
  { selection, ceiling }: DigestBase,
  { mostHeld, ...options }: ReadOptions & { mostHeld: number },
): AsyncGenerator<Found[]> {
  const filters = seeksOf(selection, Infinity).map(({ filter }) => filter);
  const batch = Math.min(BATCH, Math.ceil(mostHeld / filters.length));
  const cursors = filters.map((filter) => inOrderOfIds(store, type, filter, { batch, ...options }));
  const changed = new Map<string, Found>();
  let [since, before]: [number, Buffer] = [ceiling, Buffer.alloc(0)];

  async function readChanged(): Promise<void> {
    const above = { position: { $gt: since } };
    const cursor = find(store, type, above, { batch: BATCH, ...options }).sort({ position: 1 });
    for await (const found of readBatches(cursor))
      for (const one of found) {
        since = one.position;
        const isToCome = bytesOfId(one._id).compare(before) > 0;
        if (isToCome && isOfSelection(selection, one)) changed.set(one._id, one);
      }
  }

  function take(stretch: Found[], upTo?: Buffer): Found[] {
    const due = [...changed.values()].filter(({ _id }) => !upTo || bytesOfId(_id).compare(upTo) <= 0);
    for (const { _id } of due) changed.delete(_id);
    const byId = new Map<string, Found>();
    const ours = stretch.filter((found) => isOfSelection(selection, found));
    for (const found of [...ours, ...due]) {
      const known = byId.get(found._id);
      if (!known || known.position < found.position) byId.set(found._id, found);
    }
    const keyed = [...byId.values()].map((found) => ({ found, key: bytesOfId(found._id) }));
    return keyed.sort((one, other) => one.key.compare(other.key)).map(({ found }) => found);
  }

  for await (const { found, upTo } of mergeById(cursors)) {
    await readChanged();
    yield take(found, upTo);
    before = upTo;
  }
  await readChanged();
  yield take([]);
}

interface Reading extends ReadOptions {
  batch: number;
  fields?: Document;
}

export const inOrderOfIds = (
  store: Store,
  type: EntityType,
  filter: Filter<RecordDocument>,
  reading: Reading,
): FindCursor<Found> => find(store, type, filter, reading).sort({ _id: 1 });

const find = (
  store: Store,
  type: EntityType,
  filter: Filter<RecordDocument>,
  { batch, fields: projection = WITH_ACCOUNTS, ...options }: Reading,
): FindCursor<Found> =>
  records(store, type)
    .find<Found>(filter, { ...definedOptions(options), projection })
    .batchSize(batch);

interface WithId {
  _id: string;
}

interface Keyed<T> {
  found: T;
  /** Ids are in the order of their bytes. */
  key: Buffer;
}

/** One cursor, and what it has read that is still to come. */
interface Source<T> {
  cursor: FindCursor<T>;
  held: Keyed<T>[];
}

/** Everything that was found above the previous stretch, up to and including `upTo`. */
interface Stretch<T> {
  found: T[];
  upTo: Buffer;
}

const bytesOfId = (id: string) => Buffer.from(id);

/**
 * Merges cursors that are each in the order of ids. Yields one stretch of ids after the other, unsorted within a stretch.
 * A document that two cursors find is in it twice. Holds one batch of each cursor.
 */
async function* mergeById<T extends WithId>(cursors: FindCursor<T>[]): AsyncGenerator<Stretch<T>> {
  let open = cursors.map((cursor): Source<T> => ({ cursor, held: [] }));
  try {
    for (;;) {
      for (const source of open) if (source.held.length === 0) source.held = await nextOf(source.cursor);
      open = open.filter(({ held }) => held.length > 0);
      if (open.length === 0) return;
      const upTo = open.map(({ held }) => held.at(-1)!.key).reduce((a, b) => (a.compare(b) <= 0 ? a : b));
      yield { found: open.flatMap((source) => takeUpTo(source, upTo)), upTo };
    }
  } finally {
    for (const cursor of cursors) await cursor.close();
  }
}

async function nextOf<T extends WithId>(cursor: FindCursor<T>): Promise<Keyed<T>[]> {
  if (!(await cursor.hasNext())) return [];
  return cursor.readBufferedDocuments().map((found) => ({ found, key: bytesOfId(found._id) }));
}

function takeUpTo<T>({ held }: Source<T>, upTo: Buffer): T[] {
  const above = held.findIndex(({ key }) => key.compare(upTo) > 0);
  return held.splice(0, above === -1 ? held.length : above).map(({ found }) => found);
}
