import { surelyNow } from '../../domain/time/elapsed';
import type { ClientSession, Filter } from 'mongodb';
import type { EntityType } from '../../domain/records/entity-types';
import { carriesCompany, type Channel, listChannels } from '../channels/channels';
import { batchesOf, inCompany } from '../records/records';
import { hashPhone } from '../secrets/hash-key';
import type { Store } from '../store';

/** A farmer's standing permission for one account to one channel under one partner_id. */
export interface Subscription {
  _id: string;
  channel: string;
  /** `ERASED` in what an erasure leaves: a request to delete. */
  partner_id: string;
  /** The id (`knownFarmer`) of the phone that was verified when it was granted. */
  farmer: string;
  /** The last two digits of that phone, so that the farmer recognizes it. */
  phone_ending: string;
  /** The account's record id, `<company_id>-<remote_id>`. */
  account: string;
  state: 'granted' | 'revoked';
  since: Date;
  /**
   * The counters as a grant without the earlier records saw them: what lies up to there is never sent through it. Missing or null
   * for a grant with the earlier records (docs/architecture.md#sharing).
   */
  from?: Positions | null;
  /** The end that the farmer has chosen; missing or null without one. From then on it counts as revoked. */
  ends_at?: Date | null;
  /** When they last moved it; missing where it is as it was granted. */
  moved_at?: Date;
  /**
   * A process whose clock has reached the end notes it here before it leaves the account out. From then on the end has come
   * for every process, and moving it begins a new grant.
   */
  over?: boolean;
  /** Its farmer and its customer were told that this end is near. */
  ending?: boolean;
  ended_at: Date | null;
  /**
   * The entity types whose catch-up no plan has begun yet; the channel's own windows of these leave out the account.
   */
  to_begin: EntityType[];
  /** The channel's `shares_version` that its last grant, change or revoke took. */
  version: number;
  /** That of the grant alone. */
  granted_in?: number;
  /** What the customer is asked to delete after a revoke, and what it has said; missing or null where nobody asks. */
  deletion?: Deletion | null;
  /** The id of the notice that asks for the deletion, while it is not known to be taken. */
  asking?: string;
  /** The last delivery that has sent a record of the account, and when; missing or null before the first. */
  sent?: Sent | null;
}

/** A customer is asked to delete what it has of an account that nobody shares with it any more. */
export interface Deletion {
  /** When its notice was taken, or it called for the list; null until then. Whether it was read nobody knows. */
  asked_at: Date | null;
  confirmed_at: Date | null;
}

/** A position of each entity type. */
export type Positions = Record<EntityType, number>;

/** A page of a delivery that the customer has confirmed. */
export interface Sent {
  at: Date;
  /** the id of the delivery's report */
  delivery: string;
}

/** Whose subscriptions, under which partner_id of which customer. */
export type Sharer = Pick<Subscription, 'channel' | 'partner_id' | 'farmer'>;
export type SubscriptionKey = Sharer & Pick<Subscription, 'account'>;

/** In place of the partner_id of a farmer who was erased; no link has an empty one. */
export const ERASED = '';

export const subscriptions = (store: Store) => store.db.collection<Subscription>('subscriptions');

export const subscriptionIndexes = [
  { name: 'channel_account', key: { channel: 1, account: 1, state: 1 } },
  { name: 'farmer', key: { farmer: 1, channel: 1, partner_id: 1 } },
  { name: 'due', key: { channel: 1, to_begin: 1, version: 1, _id: 1 } },
  { name: 'account', key: { account: 1, state: 1 } },
  { name: 'asking', key: { asking: 1 } },
  { name: 'ends', key: { state: 1, ends_at: 1 } },
  { name: 'since', key: { channel: 1, since: 1 } },
];

/** A keyed hash of the phone's ten digits, for what is forgotten soon: an exchange of the hash key changes it. */
export function farmerOf(store: Store, phone: string): string {
  return hashPhone(store.hashKey, phone);
}

/** Whether anybody shares an account of this company, with one channel where it is named. */
export async function isSharedOf(store: Store, company: string, channel?: string): Promise<boolean> {
  const granted = { ...(channel !== undefined && { channel }), account: inCompany(company) };
  const lasts = { over: { $ne: true }, $or: [{ ends_at: null }, { ends_at: { $gt: surelyNow() } }] };
  return (await subscriptions(store).findOne({ ...granted, state: 'granted', ...lasts })) !== null;
}

/** The channels that get records of a company. */
export async function listCarriers(store: Store, company: string): Promise<Channel[]> {
  const carriers: Channel[] = [];
  for (const channel of await listChannels(store))
    if (carriesCompany(channel, company) && (await getsOf(store, channel, company))) carriers.push(channel);
  return carriers;
}

/** Whether a channel that carries a company may get any of its records now. */
export const getsOf = async (store: Store, { _id, scope }: Channel, company: string): Promise<boolean> =>
  scope === 'all' || isSharedOf(store, company, _id);

/** What is granted of a company's accounts, or of one account, even what has expired. */
export async function listGrantedHere(
  store: Store,
  of: { company: string } | { account: string },
): Promise<Subscription[]> {
  const account = 'account' in of ? of.account : inCompany(of.company);
  return subscriptions(store).find({ account, state: 'granted' }).toArray();
}

/** Whether its end lies at or before that time. */
export const endsBy = ({ ends_at }: Pick<Subscription, 'ends_at'>, at: number | undefined) =>
  !!ends_at && at !== undefined && ends_at.getTime() <= at;

/** Whether it has expired, even if the revoke is not yet written (`control/end-grants`). */
export const hasExpired = (granted: Pick<Subscription, 'ends_at' | 'over'>) =>
  granted.over === true || endsBy(granted, surelyNow().getTime());

const holds = (granted: Subscription) => !hasExpired(granted);

/** The accounts that are shared with a channel, and until when that is so: when the first of them ends. */
interface SharedAccounts {
  accounts: Set<string>;
  /** For accounts that nobody shares with their earlier records: the position up to which those records lie. */
  from: Map<string, number>;
  until: Date | undefined;
}

/**
 * The accounts that a channel's windows of one entity type select: those whose catch-up a plan has begun. Read after the
 * ceiling and after the epoch (docs/architecture.md#sharing).
 */
export async function readSharedAccounts(
  store: Store,
  channel: string,
  type: EntityType,
  session?: ClientSession,
): Promise<SharedAccounts> {
  const granted = await subscriptions(store)
    .find(
      { channel, state: 'granted', to_begin: { $ne: type } },
      { projection: { account: 1, ends_at: 1, over: 1, from: 1 }, ...(session ? { session } : {}) },
    )
    .toArray();
  const come = granted.filter((one) => !one.over && hasExpired(one));
  if (come.length > 0) {
    await noteOver(store, come, session);
    return readSharedAccounts(store, channel, type, session);
  }
  const shared = granted.filter(holds);
  const ends = shared.flatMap(({ ends_at }) => (ends_at ? [ends_at.getTime()] : []));
  const until = ends.length > 0 ? new Date(ends.reduce((a, b) => Math.min(a, b))) : undefined;
  return { accounts: new Set(shared.map(({ account }) => account)), from: earliestOf(shared, type), until };
}

/** Where the earlier records of accounts end; none for an account that anybody shares with them. */
function earliestOf(shared: Pick<Subscription, 'account' | 'from'>[], type: EntityType): Map<string, number> {
  const ends = new Map<string, number>();
  for (const { account, from } of shared)
    ends.set(account, Math.min(from?.[type] ?? 0, ends.get(account) ?? Infinity));
  return new Map([...ends].filter(([, position]) => position > 0));
}

/**
 * Notes that these grants have ended, before anybody acts on it: otherwise a process whose clock is ahead would pass over
 * records of a grant whose end the farmer still moves. A grant whose end was moved concurrently stays as it is.
 */
async function noteOver(
  store: Store,
  come: Pick<Subscription, '_id' | 'ends_at'>[],
  session?: ClientSession,
): Promise<void> {
  for (const list of batchesOf(come)) {
    const writes = list.map(({ _id, ends_at }) => {
      const filter = { _id, state: 'granted', ends_at: ends_at! } as const;
      return { updateOne: { filter, update: { $set: { over: true } } } };
    });
    await subscriptions(store).bulkWrite(writes, { ordered: false, ...(session && { session }) });
  }
}

/** The accounts whose catch-up no plan has begun: they are granted, and none of the channel's windows selects them. */
export async function readAccountsToBegin(
  store: Store,
  channel: string,
  type: EntityType,
  session: ClientSession,
): Promise<Pick<SharedAccounts, 'accounts' | 'from'>> {
  const waiting = await subscriptions(store)
    .find({ channel, to_begin: type, state: 'granted' }, { projection: { account: 1, from: 1 }, session })
    .toArray();
  return { accounts: new Set(waiting.map(({ account }) => account)), from: earliestOf(waiting, type) };
}

/** Granted subscriptions whose end has come. */
export async function listOver(store: Store, now: Date): Promise<Subscription[]> {
  return subscriptions(store)
    .find({ state: 'granted', ends_at: { $lte: now } })
    .toArray();
}

/** Granted subscriptions that have not expired, oldest first. */
async function grantedOf(
  store: Store,
  of: Filter<Subscription>,
  order: 1 | -1 = 1,
  limit = 0,
): Promise<Subscription[]> {
  const granted = await subscriptions(store)
    .find({ ...of, state: 'granted' })
    .sort({ since: order, _id: order })
    .limit(limit)
    .toArray();
  return granted.filter(holds);
}

/** Granted subscriptions, oldest first; of one partner_id where one is given. */
export const listGranted = (store: Store, channel: string, partnerId?: string) =>
  grantedOf(store, { channel, ...(partnerId === undefined ? {} : { partner_id: partnerId }) });

/**
 * Revoked ones, newest first, and of erased farmers the open requests to delete; of one partner_id, and no more than `limit`, where
 * they are given.
 */
export async function listEnded(
  store: Store,
  channel: string,
  { partnerId, limit = 0 }: { partnerId?: string | undefined; limit?: number } = {},
): Promise<Subscription[]> {
  return subscriptions(store)
    .find({
      channel,
      state: 'revoked',
      ...(partnerId === undefined ? {} : { partner_id: partnerId }),
      $or: [{ partner_id: { $ne: ERASED } }, { deletion: { $ne: null } }],
    })
    .sort({ ended_at: -1, _id: 1 })
    .limit(limit)
    .toArray();
}

/** Granted subscriptions of one account, oldest first. */
export const listGrantedOf = (store: Store, channel: string, account: string) =>
  grantedOf(store, { channel, account });

/** Granted subscriptions of these accounts to any channel, oldest first. */
export async function listGrantedOfAccounts(store: Store, accounts: string[]): Promise<Subscription[]> {
  const found: Subscription[] = [];
  for (const list of batchesOf(accounts))
    found.push(
      ...(await subscriptions(store)
        .find({ account: { $in: list }, state: 'granted' })
        .toArray()),
    );
  return found.filter(holds).sort((a, b) => a.since.getTime() - b.since.getTime());
}

/** What one farmer shares or has shared, with any channel. */
export async function listAllOfFarmer(store: Store, farmer: string): Promise<Subscription[]> {
  return subscriptions(store)
    .find({ farmer, partner_id: { $ne: ERASED } })
    .toArray();
}

/** What one farmer shares, with any channel. */
export async function listGrantedOfFarmer(store: Store, farmer: string): Promise<Subscription[]> {
  return (await subscriptions(store).find({ farmer, state: 'granted' }).toArray()).filter(holds);
}

/**
 * Keeps which delivery has sent something of these accounts last, whoever shares them: for the farmers' page "who sees my grain
 * data" (docs/contract.md F20). With the marker's move or before it, as the page is not sent again after that.
 */
export async function noteSent(
  store: Store,
  channel: string,
  accounts: string[],
  sent: Sent,
  session?: ClientSession,
): Promise<void> {
  for (const list of batchesOf(accounts))
    await subscriptions(store).updateMany(
      { channel, account: { $in: list }, state: 'granted' },
      { $set: { sent } },
      { ...(session && { session }) },
    );
}

/** Granted subscriptions, newest first: a caller has most likely just used the page. */
export const newestGranted = (store: Store, channel: string, limit: number) =>
  grantedOf(store, { channel }, -1, limit);

/** How many accounts a customer is asked to delete, and has not said that it did. */
export async function countToDelete(store: Store, channel: string): Promise<number> {
  const wanted = {
    channel,
    state: 'revoked',
    deletion: { $ne: null },
    'deletion.confirmed_at': null,
  } as const;
  return (await subscriptions(store).distinct('account', wanted)).length;
}

/** All subscriptions of one farmer under one partner_id; other partner_ids stay hidden. */
export const listOfFarmer = (
  store: Store,
  { farmer, channel, partner_id }: Sharer,
): Promise<Subscription[]> =>
  subscriptions(store).find({ farmer, channel, partner_id }).sort({ account: 1 }).toArray();

/** The key alone, of a subscription or of an act on it. */
export function subscriptionKey({ channel, partner_id, farmer, account }: SubscriptionKey): SubscriptionKey {
  return { channel, partner_id, farmer, account };
}

// A partner_id may contain any character, so the parts are joined as JSON.
export const subscriptionId = ({ channel, partner_id, farmer, account }: SubscriptionKey) =>
  JSON.stringify([channel, partner_id, farmer, account]);

/** Whether anything is granted to a channel, or has expired without its end being written. */
export async function isAnyGranted(store: Store, channel: string): Promise<boolean> {
  return (await subscriptions(store).findOne({ channel, state: 'granted' })) !== null;
}
