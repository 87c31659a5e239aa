import { timeNow } from '../../domain/time/elapsed';
import { masked } from '../../domain/text/masked';
import { type Ending, endings } from '../callers/endings';
import { integrations } from '../callers/integrations';
import { stopWatching } from '../push/push-activity';
import type { Store } from '../store';
import { inTransaction } from '../transact';

/**
 * Closes an integration for good: from the commit on no token of it opens anything. Its company ends at the latest time that any of
 * its integrations has, while none of them is open. Of a closed one the time is changed.
 * @returns the company's ending; null where there is no such integration
 */
export async function closeIntegration(
  store: Store,
  _id: string,
  { reason, erase_at }: Pick<Ending, 'reason' | 'erase_at'>,
): Promise<Ending | null> {
  await stopWatching(store, _id); // pushes that come all the same begin it again
  return inTransaction(store, async (session) => {
    const before = await integrations(store).findOne({ _id }, { session });
    if (!before) return null;
    const { id, name } = before.company;
    const closed = before.closed ?? { reason: masked(reason), at: timeNow() };
    const $set = {
      ...{ closed: { ...closed, erase_at }, name: 'closed', company: { id, name: id } },
      // The hash of no token. Each has another one, as the index is unique.
      ...{ token_hashes: [`closed/${_id}`], old_token_ends_at: null },
    };
    await integrations(store).updateOne({ _id }, { $set, $unset: { access: 1 } }, { session });
    const ofCompany = integrations(store).find({ 'company.id': id, closed: { $exists: true } }, { session });
    const times = (await ofCompany.toArray()).map((one) => one.closed!.erase_at.getTime());
    const latest = new Date(Math.max(...times));
    // Of one that was closed before, the name stands there already.
    const named = before.closed ? {} : { company: { id, name } };
    return endings(store).findOneAndUpdate(
      { _id: id, ...(before.closed && { erase_at: { $exists: true } }) },
      { $set: { reason: closed.reason, erase_at: latest, ...named }, $unset: { told_at: 1, taken_until: 1 } },
      { upsert: !before.closed, returnDocument: 'after', session },
    );
  });
}
