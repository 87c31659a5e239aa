import type { Channel } from '../../store/channels';
import type { Store } from '../../store/connect';
import { phoneOf, type FarmerSession } from '../../store/farmer-sessions';
import { accountsById, offeredAccounts, type OfferedAccount } from '../../store/offered-accounts';
import { sharedByOthers } from '../../store/shared-by-others';
import { farmerOf, listOfFarmer } from '../../store/subscriptions';

export interface ListedAccount extends OfferedAccount {
  /** Shared by this farmer now, under this partner_id. */
  granted: boolean;
  /** Whether the company has this phone for it; if not, it can only be revoked. */
  offered: boolean;
  /** Ending of the phone it was granted with, where the company has another one by now. */
  oldPhone?: string;
  /** Ending of somebody else's phone that shares it. */
  otherPhone?: string;
}

/** Who speaks, for whom: a part of every key (farmer page). */
export function whoOf(store: Store, session: FarmerSession) {
  const { channel, partner_id } = session.link;
  return { channel, partner_id, farmer: farmerOf(store, phoneOf(store, session)) };
}

/** The accounts of the verified phone, and those this farmer has shared before, alphabetical. */
export async function listAccounts(
  store: Store,
  session: FarmerSession,
  channel: Channel,
): Promise<ListedAccount[]> {
  const who = whoOf(store, session);
  const offered = await offeredAccounts(store, channel, phoneOf(store, session));
  const mine = (await listOfFarmer(store, who)).filter(({ state }) => state === 'granted');
  const endings = new Map(mine.map(({ account, phone_ending }) => [account, phone_ending]));
  const ids = new Set(offered.map(({ id }) => id));
  const gone = mine.map(({ account }) => account).filter((id) => !ids.has(id));
  const kept = gone.length > 0 ? await accountsById(store, gone) : [];
  const others = await sharedByOthers(store, who, [...ids]);
  return [
    ...offered.map((account): ListedAccount => {
      const otherPhone = others.get(account.id);
      const granted = endings.has(account.id);
      return { ...account, granted, offered: true, ...(otherPhone && !granted && { otherPhone }) };
    }),
    ...kept.map((account): ListedAccount => {
      return { ...account, granted: true, offered: false, oldPhone: endings.get(account.id) ?? '' };
    }),
  ].sort((a, b) => a.name.localeCompare(b.name));
}
