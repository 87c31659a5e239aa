import type { ClientSession } from 'mongodb';
import type { EntityType } from '../../domain/records/entity-types';
import { readSetAside } from '../deliveries/set-aside';
import { ofCompanies, type PageRecord } from '../records/records';
import type { Store } from '../store';
import { readPageRecords } from './page-builder';
import { isSelected, type Selection } from './selection';

// Where others change so much that none of the channel's is among these, there is none to compare with.
const LOOKED_AT = 200;

/**
 * A record to compare a refused one with: the newest that the marker has passed and that is not set aside, to be posted again. Where
 * the marker has passed none, the newest up to `to`.
 * @param began what lies up to there is from before the channel, and not sent
 * @param passed the marker's position
 * @param tried is not to be taken
 */
export async function recordToCompare(
  store: Store,
  {
    channel,
    entity_type,
    began = 0,
    passed,
    to,
  }: { channel: string; entity_type: EntityType; began?: number | undefined; passed: number; to: number },
  { selection, session, tried }: { selection: Selection; session: ClientSession; tried: PageRecord[] },
): Promise<PageRecord | undefined> {
  const not = new Set(tried.map(({ position }) => position));
  for (const position of [
    { $gt: began, $lte: passed },
    { $gt: passed, $lte: to },
  ]) {
    const filter = { position, ...ofCompanies(selection) };
    const query = { selection, session, limit: LOOKED_AT, batch: LOOKED_AT, newestFirst: true } as const;
    for await (const batch of readPageRecords(store, entity_type, filter, query)) {
      const ours = batch.filter((record) => isSelected(selection, record) && !not.has(record.position));
      const ids = ours.map(({ _id }) => _id);
      const aside = await readSetAside(store, { channel, entity_type }, ids);
      const refused = new Set(aside.flatMap(({ record, resend }) => (resend ? [] : [record])));
      const found = ours.find(({ _id }) => !refused.has(_id));
      if (found) return found;
    }
  }
  return undefined;
}
