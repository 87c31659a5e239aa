import { hasCome } from '../../domain/time/elapsed';
import type { ClientSession } from 'mongodb';
import type { EntityType } from '../../domain/records/entity-types';
import { carriesCompany, type Channel } from '../channels/channels';
import type { Store } from '../store';
import type { RecordDocument } from '../records/records';
import { readSharedAccounts } from '../consent/subscriptions';

/** Which records of an entity type a channel receives. */
export interface Selection {
  /** No companies named means every company (docs/contract.md C19). */
  companies: string[];
  /** The accounts shared with the channel; undefined for a channel of scope `all`. */
  shared: ReadonlySet<string> | undefined;
  /** For accounts that are shared without their earlier records: the position up to which those records lie. */
  from?: ReadonlyMap<string, number>;
  /** When the first of these accounts is shared no longer; missing where none has an end. */
  until?: Date | undefined;
}

/** Must be read after the ceiling (docs/architecture.md#sharing). */
export async function readSelection(
  store: Store,
  channel: Channel,
  type: EntityType,
  session?: ClientSession,
): Promise<Selection> {
  const { companies } = channel;
  if (channel.scope === 'all') return { companies, shared: undefined };
  const { accounts: shared, from, until } = await readSharedAccounts(store, channel._id, type, session);
  return { companies, shared, from, until };
}

/** Whether it has to be read again although no grant or revoke was written, as the end of a grant has passed. */
export const isOutdated = ({ until }: Selection) => until !== undefined && hasCome(until);

/** Whether a record of this account is shared, by the position of its last change. */
export const isSharedAt = ({ shared, from }: Selection, account: string, position: number) =>
  shared?.has(account) === true && position > (from?.get(account) ?? 0);

/**
 * A record that was corrected away from a shared account is selected too, so that its customer learns that it is
 * gone.
 */
export function isSelected(
  selection: Selection,
  {
    position,
    account_ids,
    left_account_ids = [],
  }: Pick<RecordDocument, 'position' | 'account_ids' | 'left_account_ids'>,
): boolean {
  const isShared = (account: string) => isSharedAt(selection, account, position);
  return !selection.shared || account_ids.some(isShared) || left_account_ids.some(isShared);
}

/** Whether a record is of the channel's companies, and shared with it. */
export function isOfSelection(
  selection: Selection,
  record: Pick<RecordDocument, 'company_id' | 'position' | 'account_ids' | 'left_account_ids'>,
): boolean {
  return carriesCompany(selection, record.company_id) && isSelected(selection, record);
}
