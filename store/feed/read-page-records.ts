import type { ClientSession, Filter } from 'mongodb';
import type { EntityType } from '../../domain/entity-types';
import type { Store } from '../store';
import { records, type RecordDocument } from '../push/records';
import { RawRecord } from './raw-record';
import { definedOptions, type ReadOptions } from './seek-positions';
import type { Selection } from './selection';

/**
 * Records in position order, in the server's own batches (at most 16 MB each), so that memory holds no more than a
 * page needs. No hints (docs/decisions/0008).
 */
export async function* readPageRecords(
  store: Store,
  type: EntityType,
  filter: Filter<RecordDocument>,
  query: ReadOptions & { selection: Selection; session: ClientSession; limit: number; batch: number },
): AsyncGenerator<RawRecord[]> {
  const { companies, shared } = query.selection;
  const projection = {
    position: 1,
    updated_at: 1,
    wire: 1,
    ...(companies.length > 1 ? { company_id: 1 } : {}),
    ...(shared ? { account_ids: 1, left_account_ids: 1 } : {}),
  };
  const cursor = records(store, type)
    .find<Buffer>(filter, { ...definedOptions(query), projection, raw: true })
    .sort({ position: 1 })
    .limit(query.limit)
    .batchSize(query.batch);
  try {
    while (await cursor.hasNext()) yield cursor.readBufferedDocuments().map((bytes) => new RawRecord(bytes));
  } finally {
    await cursor.close();
  }
}
