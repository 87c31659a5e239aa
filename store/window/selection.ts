import type { ClientSession } from 'mongodb';
import type { EntityType } from '../../domain/entity-types';
import type { Channel } from '../channels/channels';
import type { Store } from '../store';
import type { RecordDocument } from '../records/records';
import { readSharedAccounts } from '../consent/subscriptions';

/** Which records of an entity type a channel receives. */
export interface Selection {
  /** No companies named means every company (docs/contract.md C19). */
  companies: string[];
  /** The accounts shared with the channel; undefined for a channel of scope `all`. */
  shared: ReadonlySet<string> | undefined;
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
  const { accounts: shared, until } = await readSharedAccounts(store, channel._id, type, session);
  return { companies, shared, until };
}

/** Whether it has to be read again although no grant or revoke was written: an end has come. */
export const isOutdated = ({ until }: Selection) => until !== undefined && until.getTime() <= Date.now();

/**
 * A record that was corrected away from a shared account is selected too, so that its customer learns that it is
 * gone.
 */
export function isSelected(
  { shared }: Selection,
  { account_ids, left_account_ids = [] }: Pick<RecordDocument, 'account_ids' | 'left_account_ids'>,
): boolean {
  const isShared = (account: string) => shared?.has(account);
  return !shared || account_ids.some(isShared) || left_account_ids.some(isShared);
}

/** Whether a record is of the channel's companies, and shared with it. */
export function isOfSelection(
  selection: Selection,
  record: Pick<RecordDocument, 'company_id' | 'account_ids' | 'left_account_ids'>,
): boolean {
  const { companies } = selection;
  return (companies.length === 0 || companies.includes(record.company_id)) && isSelected(selection, record);
}
