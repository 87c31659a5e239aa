import { randomUUID } from 'node:crypto';
import { findNotice } from '../store/alerts/customer-notices';
import { findEvenClosed } from '../store/channels/channels';
import { forgetAsking, listAsking, noteAsked } from '../store/sharing/deletions';
import type { Store } from '../store/store';

/**
 * Writes down which customers have taken the notice that asks them to delete an account. The worker posts notices, and only the API may
 * write to the ledger.
 */
export async function askDeletions(store: Store): Promise<void> {
  for (const [asking, list] of await listAsking(store)) {
    const notice = await findNotice(store, asking);
    const channel = await findEvenClosed(store, list[0]!.channel);
    if (notice && !notice.sent_at && notice.next_at) continue;
    const accounts = [...new Set(list.map(({ account }) => account))];
    if (channel && notice?.sent_at) await noteAsked(store, channel, accounts, randomUUID(), { asking });
    else await forgetAsking(store, asking);
  }
}
