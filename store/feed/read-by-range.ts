import type { ClientSession } from 'mongodb';
import type { EntityType } from '../../domain/entity-types';
import type { Store } from '../store';
import { PageBuilder, type ReadPage, STRETCH } from './page-builder';
import { MAX_IN_PIECE } from './first-in-range';
import { readPageRecords } from './read-page-records';
import type { RecordDocument } from '../push/records';
import { type ReadOptions, within } from './seek-positions';
import { isSelected, type Selection } from './selection';

export interface PageQuery extends ReadOptions {
  selection: Selection;
  /** The expected number of positions per page: a window is read in pieces of this length, which grow over gaps. */
  span: number;
  session: ClientSession;
}

/** Reads pages as ranges of positions. Other channels' records are filtered here, unless an index excludes them. */
export function readByRange(store: Store, type: EntityType, query: PageQuery): ReadPage {
  const { companies, shared } = query.selection;
  const isExact = !shared && companies.length < 2;
  const ofCompany = companies.length === 1 ? { company_id: companies[0]! } : {};
  const isOurs = (record: Pick<RecordDocument, 'company_id' | 'account_ids'>) =>
    (companies.length < 2 || companies.includes(record.company_id)) && isSelected(query.selection, record);
  let { span } = query;
  return async (after, limit, upTo, mayHold) => {
    const page = new PageBuilder(after, limit, mayHold);
    while (page.end < upTo) {
      const piece = { after: page.end, upTo: Math.min(upTo, page.end + span) };
      const size = { limit: isExact ? page.wanted : 0, batch: page.wanted };
      const found = readPageRecords(store, type, { ...ofCompany, ...within(piece) }, { ...query, ...size });
      if (await page.fill(found, isExact ? undefined : isOurs)) break;
      page.end = piece.upTo;
      span = Math.min(span * 4, isExact ? MAX_IN_PIECE : STRETCH);
      if (page.isEmptySince(after)) return page;
    }
    span = query.span;
    return page;
  };
}
