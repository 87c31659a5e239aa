import type { EntityType } from '../../domain/records/entity-types';
import type { Channel } from '../channels/channels';
import { batchesOf, type RecordDocument, records } from '../records/records';
import type { Store } from '../store';
import { isOfSelection, readSelection, type Selection } from './selection';

/** Records by id, or all of an account. */
export type Choice = { ids: string[] } | { account: string };

interface ChosenRecords {
  records: { id: string; position: number }[];
  /** Requested records that do not exist, or that the channel does not get. */
  unknown: string[];
}

/** For more, a reset is the right way. */
export const MOST_OF_ACCOUNT = 100_000;

/** The account has more than `MOST_OF_ACCOUNT` records of the type. */
export class TooManyRecords extends Error {
  override name = 'TooManyRecords';
}

/** Those of the records that the channel gets. @throws TooManyRecords */
export async function chooseRecords(
  store: Store,
  channel: Channel,
  type: EntityType,
  choice: Choice,
): Promise<ChosenRecords> {
  const selection = await readSelection(store, channel, type);
  if ('account' in choice) return ofAccount(store, type, selection, choice.account);
  const ids = [...new Set(choice.ids)];
  const known = new Map<string, number>();
  for (const list of batchesOf(ids))
    for await (const found of read(store, type, { _id: { $in: list } }))
      if (isOfSelection(selection, found)) known.set(found._id, found.position);
  return {
    records: [...known].map(([id, position]) => ({ id, position })),
    unknown: ids.filter((id) => !known.has(id)),
  };
}

async function ofAccount(
  store: Store,
  type: EntityType,
  selection: Selection,
  account: string,
): Promise<ChosenRecords> {
  const chosen = new Map<string, number>();
  if (selection.shared?.has(account) ?? true)
    for (const filter of [{ account_ids: account }, { left_account_ids: account }])
      for await (const found of read(store, type, filter)) {
        if (isOfSelection(selection, found)) chosen.set(found._id, found.position);
        if (chosen.size > MOST_OF_ACCOUNT) throw new TooManyRecords();
      }
  const found = [...chosen].map(([id, position]) => ({ id, position }));
  return { records: found, unknown: found.length === 0 ? [account] : [] };
}

const projection = { company_id: 1, position: 1, account_ids: 1, left_account_ids: 1 };
type Read = Pick<RecordDocument, '_id' | keyof typeof projection>;

const read = (store: Store, type: EntityType, filter: object) =>
  records(store, type).find<Read>(filter, { projection });
