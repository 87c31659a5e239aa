import { lastDayOf } from '../../domain/consent/grant-end';
import { companyZones } from '../../store/callers/integrations';
import { carriesCompany, type Channel, listRecipients } from '../../store/channels/channels';
import { lastConfirmed } from '../../store/markers/last-confirmed';
import type { Store } from '../../store/store';
import { findFarmerId } from '../../store/consent/farmers';
import { crowdedCompanies, carriedAccounts, type OfferedAccount } from '../../store/consent/offered-accounts';
import {
  type Deletion,
  listAllOfFarmer,
  listGrantedOfAccounts,
  type Subscription,
} from '../../store/consent/subscriptions';

/** A customer that gets records of accounts with this phone. */
export interface Recipient {
  channel: Channel;
  accounts: SharedAccount[];
  /** The accounts that the farmer no longer shares with it, newest first. */
  ended: EndedAccount[];
  /** The companies that feed it all their records, so that it needs no farmer's grant. */
  byCompany: { companies: string[]; sentAt: Date | null } | undefined;
}

/** An account as one customer gets it. */
export interface SharedAccount extends OfferedAccount {
  /** The farmer's own grants, one for each partner_id; empty where only others have granted. */
  own: Subscription[];
  /** All grants of it: whoever has a phone of the account may stop them. */
  granted: Subscription[];
  /** The last digits of other phones that share it. */
  others: string[];
  since: Date;
  /** The last day of the farmer's grants; undefined if one has no end. */
  endsOn: string | undefined;
  sentAt: Date | null;
  /** The time zone of its company, if known. */
  zone: string | undefined;
}

interface Sight {
  recipients: Recipient[];
  /** The companies that list this phone for too many names. */
  crowded: string[];
}

/** An account that the farmer no longer shares, with the request for deletion to the customer and its answer. */
export interface EndedAccount extends OfferedAccount {
  endedAt: Date;
  deletion: Deletion | undefined;
  /** The customer still gets its records, by another link or person. */
  isShared: boolean;
  zone: string | undefined;
}

/**
 * Every customer that gets records of accounts that list the phone now. Former accounts are left out: the number may
 * belong to somebody else (docs/contract.md F20).
 */
export async function whoSees(store: Store, phone: string): Promise<Sight> {
  const farmer = await findFarmerId(store, phone);
  // For a company that lists the phone for too many names, only grants made with the phone are shown.
  const crowded = await crowdedCompanies(store, phone);
  const own = farmer && crowded.length > 0 ? await listAllOfFarmer(store, farmer) : [];
  const carried = await carriedAccounts(
    store,
    phone,
    crowded,
    own.map(({ account }) => account),
  );
  const strangers = new Set(
    carried.filter(({ company }) => crowded.includes(company.id)).map(({ id }) => id),
  );
  const granted = (
    await listGrantedOfAccounts(
      store,
      carried.map(({ id }) => id),
    )
  ).filter((one) => one.farmer === farmer || !strangers.has(one.account));
  const stopped = farmer === undefined ? [] : await endedOf(store, farmer, carried);
  const slugs = new Set([...granted, ...stopped].map(({ channel }) => channel));
  const channels = await listRecipients(store, [...slugs]);
  const fed = carried.filter(({ id, deleted }) => !deleted && !strangers.has(id));
  const last = await lastConfirmed(store, channels);
  const zones = await companyZones(
    store,
    carried.map(({ company }) => company.id),
  );
  const recipients = channels
    .map((channel): Recipient => {
      const { _id: slug, scope, closed } = channel;
      const of = granted.filter((one) => one.channel === slug);
      const companies = scope === 'all' ? companiesOf(channel, fed) : [];
      const sentAt = last.get(slug) ?? null;
      const isOwn = (id: string) => of.some((one) => one.account === id && one.farmer === farmer);
      const ended = stopped.filter((one) => one.channel === slug && !isOwn(one.id));
      return {
        channel,
        accounts: scope === 'all' || closed ? [] : sharedOf(carried, of, { farmer, zones }),
        ended: ended.map(({ channel: _, ...one }) => ({
          ...one,
          isShared: of.some(({ account }) => account === one.id),
          zone: zones.get(one.company.id),
        })),
        byCompany: companies.length > 0 ? { companies, sentAt } : undefined,
      };
    })
    .filter(({ accounts, ended, byCompany }) => accounts.length > 0 || ended.length > 0 || byCompany)
    .map((one) => (one.channel.closed ? { ...one, byCompany: undefined } : one))
    .sort((a, b) => rankOf(a) - rankOf(b) || a.channel.name.localeCompare(b.channel.name));
  return { recipients, crowded };
}

/** Whether the customer gets no records any more. */
export const isPast = ({ accounts, byCompany }: Recipient) => accounts.length === 0 && !byCompany;

/** First those that can be stopped here, last those that get nothing any more. */
const rankOf = (recipient: Recipient) => (recipient.accounts.length > 0 ? 0 : isPast(recipient) ? 2 : 1);

/** The accounts that the farmer's own grants share with it. */
export const sharedBy = ({ accounts }: Recipient) => accounts.filter(({ own }) => own.length > 0);

/**
 * The accounts with their phone that the farmer no longer shares. If several links shared one, the last end
 * counts.
 */
async function endedOf(store: Store, farmer: string, carried: OfferedAccount[]) {
  const byId = new Map(carried.map((account) => [account.id, account]));
  const newest = new Map<string, Subscription>();
  for (const one of await listAllOfFarmer(store, farmer)) {
    const key = `${one.channel}/${one.account}`;
    const before = newest.get(key)?.ended_at;
    if (one.state === 'revoked' && one.ended_at && (!before || before < one.ended_at)) newest.set(key, one);
  }
  return [...newest.values()]
    .sort((a, b) => b.ended_at!.getTime() - a.ended_at!.getTime())
    .flatMap(({ channel, account, ended_at, deletion }) => {
      const shown = byId.get(account);
      if (!shown) return [];
      const { id, remote_id, name, company } = shown;
      return { channel, id, remote_id, name, company, endedAt: ended_at!, deletion: deletion ?? undefined };
    });
}

/** The names of the accounts' companies that feed this channel all their records. */
function companiesOf(channel: Channel, accounts: OfferedAccount[]): string[] {
  const fed = accounts.filter(({ company: { id } }) => carriesCompany(channel, id));
  return [...new Set(fed.map(({ company }) => company.name))].sort();
}

function sharedOf(
  carried: OfferedAccount[],
  granted: Subscription[],
  { farmer, zones }: { farmer: string | undefined; zones: ReadonlyMap<string, string> },
): SharedAccount[] {
  return carried.flatMap((account) => {
    const of = granted.filter((one) => one.account === account.id);
    if (of.length === 0) return [];
    const own = of.filter((one) => one.farmer === farmer);
    const others = of.filter((one) => one.farmer !== farmer).map(({ phone_ending }) => phone_ending);
    const sent = of.flatMap((one) => (one.sent ? [one.sent.at.getTime()] : []));
    return {
      ...account,
      own,
      granted: of,
      others: [...new Set(others)],
      since: of[0]!.since,
      endsOn: lastEndOf(own),
      zone: zones.get(account.company.id),
      sentAt: sent.length > 0 ? new Date(Math.max(...sent)) : null,
    };
  });
}

function lastEndOf(granted: Subscription[]): string | undefined {
  const days = granted.flatMap(({ ends_at }) => (ends_at ? [lastDayOf(ends_at)] : []));
  return days.length > 0 && days.length === granted.length ? days.sort().at(-1) : undefined;
}
