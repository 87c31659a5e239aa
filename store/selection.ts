import type { ClientSession } from 'mongodb';
import type { Channel } from './channels';
import type { Store } from './connect';
import { readSharedAccounts } from './subscriptions';

/** Which of the records in a window are a channel's to get. */
export interface Selection {
  /** No companies named means every company (contract 8). */
  companies: string[];
  /** The accounts shared with the channel; undefined for a channel of scope `all`. */
  shared: ReadonlySet<string> | undefined;
}

/** Read after the ceiling (commit-order, sharing). */
export async function readSelection(
  store: Store,
  channel: Channel,
  session?: ClientSession,
): Promise<Selection> {
  const shared =
    channel.scope === 'subscribed' ? await readSharedAccounts(store, channel._id, session) : undefined;
  return { companies: channel.companies, shared };
}

export function isSelected(selection: Selection, record: { account_ids: string[] }): boolean {
  return !selection.shared || record.account_ids.some((account) => selection.shared?.has(account));
}
