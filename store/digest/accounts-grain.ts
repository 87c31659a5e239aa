import { WRAPPER_KEYS } from '../../domain/records/entity-types';
import { type AccountsGrain, GRAIN_FIELDS } from '../../domain/records/production-record';
import { carriesCompany, type Channel } from '../channels/channels';
import { seeNewest } from '../records/counters';
import { companyOfId, type RecordDocument, records } from '../records/records';
import type { Store } from '../store';
import { TooManyRecords } from '../window/choose-records';
import { isOfSelection, readSelection } from '../window/selection';

/** Of a type, for one account. They are in memory at once, and a record made of them takes the process half a second. */
export const MOST_GRAIN = 10_000;

/**
 * The tickets and settlements of an account that a page of the channel made now would carry. Others stand in them; a production record
 * names nobody but the account. @returns undefined where there is none, or none for this channel
 * @throws TooManyRecords
 */
export async function readAccountsGrain(
  store: Store,
  channel: Channel,
  account: string,
  signal: AbortSignal,
): Promise<AccountsGrain | undefined> {
  const grain: AccountsGrain = { tickets: [], settlements: undefined, lacksEarlier: false };
  await store.client.withSession({ causalConsistency: true }, async (session) => {
    await seeNewest(store, session);
    for (const type of ['tickets', 'settlements'] as const) {
      if (!channel.entity_types.includes(type)) continue;
      const all = await readSelection(store, channel, type, session);
      const isShared = !all.shared || all.shared.has(account);
      const selection = { ...all, shared: all.shared && new Set(isShared ? [account] : []) };
      grain.lacksEarlier ||= all.from?.has(account) === true;
      const found: AccountsGrain['tickets'] = (grain[type] = []);
      // Of an account that the channel does not get as much is read as of one that is not there.
      const isGot = isShared && carriesCompany(channel, companyOfId(account));
      const filter = { account_ids: isGot ? account : '', deleted_at: null };
      for await (const record of records(store, type).find<RecordDocument>(filter, { session, signal })) {
        if (!isOfSelection(selection, record)) continue;
        if (found.length === MOST_GRAIN) throw new TooManyRecords();
        const { [WRAPPER_KEYS[type]]: whole } = JSON.parse(record.wire.toString()) as Record<string, object>;
        found.push(Object.fromEntries(Object.entries(whole!).filter(([name]) => GRAIN_FIELDS.has(name))));
      }
    }
  });
  return grain.tickets.length + (grain.settlements?.length ?? 0) > 0 ? grain : undefined;
}
