import { dayInZone, lastDayOf } from '../../domain/consent/grant-end';
import { companyZones } from '../../store/callers/integrations';
import type { Channel } from '../../store/channels/channels';
import type { Store } from '../../store/store';
import { phoneOf, type LinkedSession } from '../../store/sessions/farmer-sessions';
import {
  accountsById,
  crowdedCompanies,
  MOST_OF_A_COMPANY,
  offeredAccounts,
  type OfferedAccount,
} from '../../store/consent/offered-accounts';
import { sharedByOthers } from '../../store/consent/phone-of-farmer';
import { findFarmerId } from '../../store/consent/farmers';
import { hasExpired, listOfFarmer } from '../../store/consent/subscriptions';
import { FarmerPageError } from './farmer-page-error';

export interface ListedAccount extends OfferedAccount {
  /** The farmer shares it now under this partner_id. */
  granted: boolean;
  /** The last day of the grant, if it has an end. */
  endsOn?: string;
  /** The day from which a grant without earlier records shares. */
  newSince?: string;
  /** The company lists this phone for the account. Otherwise the grant can only be ended, or end earlier. */
  offered: boolean;
  /** The last digits of the phone of the grant, when the company now lists another one or too many names have it. */
  oldPhone?: string;
  /** The last digits of another person's phone that shares it as well. */
  otherPhone?: string;
}

/**
 * The channel, the partner_id and the farmer, which are part of every key (docs/contract.md F6).
 * @throws FarmerPageError when the farmer was erased since the code was entered
 */
export async function whoOf(store: Store, session: LinkedSession) {
  const { channel, partner_id } = session.link;
  const farmer = await findFarmerId(store, phoneOf(store, session));
  if (farmer === undefined) throw new FarmerPageError('over');
  return { channel, partner_id, farmer };
}

export interface ListedAccounts {
  accounts: ListedAccount[];
  /** The companies that list this phone for too many names. None of their accounts is offered. */
  crowded: string[];
}

/** The accounts of the verified phone, and those that this farmer has shared before, in alphabetical order. */
export async function listAccounts(
  store: Store,
  session: LinkedSession,
  channel: Channel,
): Promise<ListedAccounts> {
  const who = await whoOf(store, session);
  const phone = phoneOf(store, session);
  const crowded = await crowdedCompanies(store, phone);
  const offered = await offeredAccounts(store, channel, phone, crowded);
  const mine = (await listOfFarmer(store, who)).filter((one) => one.state === 'granted' && !hasExpired(one));
  const ends = new Map(
    mine.flatMap(({ account, ends_at }) => (ends_at ? [[account, lastDayOf(ends_at)]] : [])),
  );
  const begins = new Map(mine.flatMap(({ account, from, since }) => (from ? [[account, since]] : [])));
  const endings = new Map(mine.map(({ account, phone_ending }) => [account, phone_ending]));
  const ids = new Set(offered.map(({ id }) => id));
  const gone = mine.map(({ account }) => account).filter((id) => !ids.has(id));
  const { bytes: mostBytes } = MOST_OF_A_COMPANY;
  const kept = gone.length > 0 ? await accountsById(store, gone, { mostBytes, phone }) : [];
  const others = await sharedByOthers(store, who, [...ids]);
  const companies = [...offered, ...kept].map(({ company }) => company.id);
  const zones = begins.size > 0 ? await companyZones(store, companies) : new Map<string, string>();
  const termsOf = ({ id, company }: OfferedAccount) => ({
    ...(ends.has(id) && { endsOn: ends.get(id)! }),
    ...(begins.has(id) && { newSince: dayInZone(begins.get(id)!, zones.get(company.id)) }),
  });
  const accounts = [
    ...offered.map((account): ListedAccount => {
      const otherPhone = others.get(account.id);
      const granted = endings.has(account.id);
      return {
        ...account,
        granted,
        ...termsOf(account),
        offered: true,
        ...(otherPhone && !granted && { otherPhone }),
      };
    }),
    ...kept.map((account): ListedAccount => {
      const oldPhone = endings.get(account.id) ?? '';
      return { ...account, granted: true, ...termsOf(account), offered: false, oldPhone };
    }),
  ].sort((a, b) => a.name.localeCompare(b.name));
  return { accounts, crowded };
}
