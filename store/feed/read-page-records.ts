import type { ClientSession, Filter } from 'mongodb';
import type { EntityType } from '../../domain/entity-types';
import type { Store } from '../store';
import { type PageRecord, records, type RecordDocument } from '../push/records';
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
): AsyncGenerator<(PageRecord & Pick<RecordDocument, 'company_id'>)[]> {
  const { companies, shared } = query.selection;
  const projection = {
    position: 1,
    updated_at: 1,
    wire: 1,
    ...(companies.length > 1 ? { company_id: 1 } : {}),
    ...(shared ? { account_ids: 1, left_account_ids: 1 } : {}),
  };
  const cursor = records(store, type)
    .find<PageRecord & Pick<RecordDocument, 'company_id'>>(filter, { ...definedOptions(query), projection })
    .sort({ position: 1 })
    .limit(query.limit)
    .batchSize(query.batch);
  try {
    while (await cursor.hasNext()) yield cursor.readBufferedDocuments();
  } finally {
    await cursor.close();
  }
}
