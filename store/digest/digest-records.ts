import type { Filter } from 'mongodb';
import type { EntityType } from '../../domain/entity-types';
import { byFirstId, idsOfCompany, type RecordDocument, records } from '../records/records';
import type { Store } from '../store';
import { definedOptions, type ReadOptions, seeksOf } from '../window/seek-positions';
import { isSelected } from '../window/selection';
import { type DigestBase, isPending } from './digest-base';

/** A record that the customer already holds at this version, unless it is pending. */
export interface DigestRecord {
  id: string;
  updated_at: Date;
  pending: boolean;
}

type Found = Pick<
  RecordDocument,
  '_id' | 'company_id' | 'position' | 'updated_at' | 'account_ids' | 'left_account_ids'
>;

const BATCH = 2_000;
// About 25 MB.
const MOST_SORTED = 100_000;

/**
 * The channel's records in the order of their ids' bytes, each once. What a few accounts share is sought by account and
 * sorted here, so that it does not cost a walk over everybody's records.
 */
export async function* digestRecords(
  store: Store,
  type: EntityType,
  base: DigestBase,
  options: ReadOptions,
  most = MOST_SORTED,
): AsyncGenerator<DigestRecord[]> {
  if (base.selection.shared?.size === 0) return;
  const few = base.selection.shared && (await ofAccounts(store, type, base, { most, ...options }));
  if (few) yield few.map((found) => toRecord(base, found));
  else yield* inOrder(store, type, base, options);
}

/** An id never changes, so a walk over the ids meets every record once, whatever changes concurrently. */
async function* inOrder(
  store: Store,
  type: EntityType,
  base: DigestBase,
  options: ReadOptions,
): AsyncGenerator<DigestRecord[]> {
  const { companies } = base.selection;
  const ranges = companies.map(idsOfCompany).sort(byFirstId);
  const filters = ranges.map(({ from, to }): Filter<RecordDocument> => ({ _id: { $gte: from, $lt: to } }));
  for (const filter of companies.length === 0 ? [{}] : filters)
    for await (const batch of read(store, type, { filter, sort: { _id: 1 } }, base, options))
      yield batch.filter((found) => isSelected(base.selection, found)).map((found) => toRecord(base, found));
}

/**
 * The same by account; undefined when there are more than `most`. A record that changes account while this reads can be
 * missed at both. It has then changed since the ceiling: what lies above it is read last, upwards, where no record can
 * escape.
 */
async function ofAccounts(
  store: Store,
  type: EntityType,
  base: DigestBase,
  { most, ...options }: ReadOptions & { most: number },
): Promise<Found[] | undefined> {
  const { selection, ceiling } = base;
  const { companies } = selection;
  const byId = new Map<string, Found>();
  for (const filter of seeksOf(selection))
    for await (const batch of read(store, type, { filter }, base, options)) {
      for (const found of batch) keepNewer(byId, found);
      if (byId.size > most) return undefined;
    }
  const since = { filter: { position: { $gt: ceiling } }, sort: { position: 1 as const } };
  for await (const batch of read(store, type, since, base, options))
    for (const found of batch) {
      const isOurs = companies.length === 0 || companies.includes(found.company_id);
      if (isOurs && isSelected(selection, found)) keepNewer(byId, found);
    }
  const keyed = [...byId.values()].map((found) => ({ found, key: Buffer.from(found._id) }));
  return keyed.sort((one, other) => one.key.compare(other.key)).map(({ found }) => found);
}

function keepNewer(byId: Map<string, Found>, found: Found): void {
  const known = byId.get(found._id);
  if (!known || known.position < found.position) byId.set(found._id, found);
}

async function* read(
  store: Store,
  type: EntityType,
  { filter, sort }: { filter: Filter<RecordDocument>; sort?: Record<string, 1> },
  { selection }: DigestBase,
  options: ReadOptions,
): AsyncGenerator<Found[]> {
  const projection = {
    position: 1,
    updated_at: 1,
    ...(selection.shared ? { company_id: 1, account_ids: 1, left_account_ids: 1 } : {}),
  };
  const cursor = records(store, type)
    .find<Found>(filter, { ...definedOptions(options), projection })
    .batchSize(BATCH);
  if (sort) cursor.sort(sort);
  try {
    while (await cursor.hasNext()) yield cursor.readBufferedDocuments();
  } finally {
    await cursor.close();
  }
}

const toRecord = (base: DigestBase, found: Found): DigestRecord => ({
  id: found._id,
  updated_at: found.updated_at,
  pending: isPending(base, found),
});
