import { timeNow } from '../../domain/time/elapsed';
import type { ClientSession } from 'mongodb';
import type { EntityType } from '../../domain/records/entity-types';
import { isLanguage } from '../../domain/text/language';
import { removeCatchUps } from '../markers/catch-ups';
import { readCeilings } from '../records/counters';
import type { Channel } from '../channels/channels';
import { bumpSharesVersion } from '../channels/shares-version';
import { dropDeletions, wantDeletions } from './deletions';
import { isLate, noteConsents } from './note-consents';
import type { Store } from '../store';
import { appendConsents, type Consent, type ConsentAct } from '../consent/consents';
import { newsOf, noteGranted, noteRevoked } from '../consent/farmer-notices';
import {
  endsBy,
  hasExpired,
  subscriptionKey,
  type Subscription,
  subscriptionId,
  subscriptions,
} from '../consent/subscriptions';
import { inTransaction } from '../transact';

/** Entity types were added to the channel after the farmer saw the page, its purpose has changed, or it was closed: nothing was written. */
export class TermsChanged extends Error {
  override name = 'TermsChanged';
}

/** What a channel is for, in all languages, as one text. */
const saidBy = ({ purpose, passes_on }: Channel) => JSON.stringify([purpose?.en, purpose?.es, passes_on]);

/** How many accounts an act changed, and the last of its entries in the ledger, if it made one. */
export interface ActTaken {
  changed: number;
  last: Consent | undefined;
}

/** Of the page that grants, or revokes. */
export interface GrantingPage {
  phoneEnding: string;
  /** `readStop` before it was read. */
  stop?: string | null | undefined;
}

/**
 * Grants accounts, in one transaction that reads no marker: the consents, the subscriptions, `shares_version`. The next plan of
 * each entity type begins the catch-ups. A grant without the earlier records also reads the counters: whatever is stored later is
 * new. Of an account that is already granted, only the end changes, and the earlier records are added. A grant that has expired is
 * first revoked in the ledger, then granted again.
 * @param channel as the farmer was shown it
 * @param wanted one batch, all of this channel
 * @param kept the farmer only changes what they share already, its end or that earlier records are shared: accounts that were
 * revoked since the page was shown stay revoked
 * @throws TermsChanged
 * @throws FarmerStopped
 * @throws FarmerErased
 */
export async function grant(
  store: Store,
  channel: Channel,
  wanted: ConsentAct[],
  { phoneEnding, kept, stop }: GrantingPage & { kept?: 'moved' | 'widened' },
): Promise<ActTaken> {
  return inOneTransaction(store, wanted, async (now, session) => {
    const acts = kept ? await stillShared(store, wanted, session) : wanted;
    if (acts.length === 0) return { changed: 0, acts };
    // setChannel changes these only while nothing is granted, and only if shares_version has not changed since it checked.
    const isAdded = now.entity_types.some((type) => !channel.entity_types.includes(type));
    if (now.state === 'closed' || isAdded || saidBy(now) !== saidBy(channel)) throw new TermsChanged();
    const toBegin = now.scope === 'subscribed' ? now.entity_types : [];
    const ends_at = endOf(acts);
    const ended = await endOver(store, acts, now.shares_version, session);
    const state = grantedState(phoneEnding, toBegin, now.shares_version, ends_at);
    const [late, whole] = [acts.filter(isLate), acts.filter((act) => !isLate(act))];
    const from = late.length > 0 ? await readCeilings(store, session) : null;
    const written = [
      await writeGranted(store, late, { ...state, from }, session),
      await writeGranted(store, whole, { ...state, from: null }, session),
    ];
    const widened = kept === 'moved' ? 0 : await addEarlier(store, whole, state, session);
    await dropDeletions(store, acts, session);
    const begun = written.reduce((sum, one) => sum + one.begun, 0);
    const changed = written.reduce((sum, one) => sum + one.begun + one.moved, widened);
    const kinds = begun > 0 ? (['others', 'begun'] as const) : changed > 0 ? (['changed'] as const) : [];
    await noteGrants(store, acts, { stop, kinds, version: now.shares_version }, session);
    return { changed, acts: [...ended, ...acts] };
  });
}

/** Adds the earlier records to grants that were without them: a plan begins their catch-ups. */
async function addEarlier(
  store: Store,
  acts: ConsentAct[],
  { to_begin, version }: Pick<Subscription, 'to_begin' | 'version'>,
  session: ClientSession,
): Promise<number> {
  const _id = { $in: acts.map(subscriptionId) };
  const late = { _id, state: 'granted', from: { $ne: null } } as const;
  const set = { $set: { from: null, to_begin, version } };
  return (await subscriptions(store).updateMany(late, set, { session })).modifiedCount;
}

/** Leaves out acts on accounts that somebody has revoked; keeps those whose grant has expired. */
async function stillShared(store: Store, acts: ConsentAct[], session: ClientSession): Promise<ConsentAct[]> {
  const known = await subscriptions(store)
    .find({ _id: { $in: acts.map(subscriptionId) } }, { session })
    .toArray();
  const shared = known.filter((one) => one.state === 'granted' || endsBy(one, one.ended_at?.getTime()));
  const ids = new Set(shared.map(({ _id }) => _id));
  return acts.filter((act) => ids.has(subscriptionId(act)));
}

/**
 * Revokes grants that have expired: pages have been made without the account, so the grant must begin again with its
 * catch-up. @returns the entries that go before those of the grants
 */
async function endOver(
  store: Store,
  acts: ConsentAct[],
  version: number,
  session: ClientSession,
): Promise<ConsentAct[]> {
  const _id = { $in: acts.map(subscriptionId) };
  const granted = await subscriptions(store).find({ _id, state: 'granted' }, { session }).toArray();
  const over = granted.filter(hasExpired);
  if (over.length === 0) return [];
  const { channel_name, entity_types, request_id } = acts[0]!;
  const ended = endsOf({ name: channel_name, entity_types }, over, request_id);
  await writeRevoked(store, ended, version, session);
  return ended;
}

/** The revokes of grants that have reached the end which their farmers had chosen. */
export function endsOf(
  { name: channel_name, entity_types }: Pick<Channel, 'name' | 'entity_types'>,
  over: Subscription[],
  request_id: string,
): ConsentAct[] {
  return over.flatMap((one) => {
    const { ends_at } = one;
    return ends_at
      ? { act: 'revoke', ...subscriptionKey(one), channel_name, entity_types, by: 'end', ends_at, request_id }
      : [];
  });
}

/** Only farmers grant, so each act says in which language they read. */
async function noteGrants(
  store: Store,
  acts: ConsentAct[],
  {
    stop,
    kinds,
    version,
  }: Pick<GrantingPage, 'stop'> & { kinds: readonly Parameters<typeof newsOf>[0][]; version: number },
  session: ClientSession,
): Promise<void> {
  for (const farmer of new Set(acts.map((act) => act.farmer))) {
    const act = acts.find((one) => one.farmer === farmer)!;
    const language = 'language' in act && isLanguage(act.language) ? act.language : 'en';
    const news = kinds.map((kind) => newsOf(kind, act.channel, version, farmer));
    await noteGranted(store, farmer, { stop, ...(news.length > 0 && { told: { news, language } }) }, session);
  }
}

/** All acts of a batch have the same end, as they come from one form. */
function endOf([act]: ConsentAct[]): Date | null {
  return (act && 'ends_at' in act && act.ends_at) || null;
}

const grantedState = (phone_ending: string, to_begin: EntityType[], version: number, ends_at: Date | null) =>
  ({
    phone_ending,
    to_begin,
    version,
    granted_in: version,
    state: 'granted',
    since: timeNow(),
    ends_at,
    over: false,
    ending: false,
    ended_at: null,
    sent: null,
  }) as const;

async function writeGranted(
  store: Store,
  acts: ConsentAct[],
  state: ReturnType<typeof grantedState> & Pick<Subscription, 'from'>,
  session: ClientSession,
): Promise<{ begun: number; moved: number }> {
  if (acts.length === 0) return { begun: 0, moved: 0 };
  const _id = { $in: acts.map(subscriptionId) };
  const known = await subscriptions(store).find({ _id }, { session }).toArray();
  const ids = new Set(known.map((subscription) => subscription._id));
  const fresh = acts.filter((act) => !ids.has(subscriptionId(act)));
  if (fresh.length > 0) {
    const documents = fresh.map((act) => ({ _id: subscriptionId(act), ...subscriptionKey(act), ...state }));
    await subscriptions(store).insertMany(documents, { session });
  }
  const again = known.filter(({ state: before }) => before === 'revoked').map((revoked) => revoked._id);
  await subscriptions(store).updateMany({ _id: { $in: again } }, { $set: state }, { session });
  const { ends_at, version } = state;
  const moved = known.filter((one) => one.state === 'granted' && !isSameEnd(one.ends_at ?? null, ends_at));
  if (moved.length > 0) {
    const ids = { _id: { $in: moved.map((one) => one._id) } };
    await subscriptions(store).updateMany(
      ids,
      { $set: { ends_at, moved_at: timeNow(), version, ending: false } },
      { session },
    );
  }
  return { begun: fresh.length + again.length, moved: moved.length };
}

const isSameEnd = (a: Date | null, b: Date | null) => a?.getTime() === b?.getTime();

/**
 * Revokes accounts, in one transaction: the consents, the subscriptions, `shares_version`, and the catch-ups of those
 * that nobody shares any more. A grant that is already revoked is skipped without an entry: of two concurrent
 * revokes one is written.
 * @param wanted one batch, all of one channel
 * @param last `readStop` before the page was read; undefined where there was no page
 * @returns `stop`, what `last` is for the next batch of the page
 * @throws FarmerStopped
 */
export async function revoke(
  store: Store,
  wanted: ConsentAct[],
  last?: string | null,
): Promise<ActTaken & Pick<GrantingPage, 'stop'>> {
  let stop = last;
  const taken = await inOneTransaction(store, wanted, async ({ shares_version: version }, session) => {
    const acts = await stillToRevoke(store, wanted, session);
    if (acts.length === 0) return { changed: 0, acts };
    for (const farmer of new Set(acts.filter(isAsked).map((act) => act.farmer))) {
      const news = newsOf('stopped', acts[0]!.channel, version, farmer);
      const noted = await noteRevoked(store, farmer, last, news, session);
      if (last !== undefined) stop = noted;
    }
    const unshared = await writeRevoked(store, acts, version, session);
    return { changed: acts.length, acts, unshared };
  });
  return { ...taken, stop };
}

/** An end that has come by itself is no stop. */
const isAsked = (act: ConsentAct) => !('by' in act && act.by === 'end');

async function writeRevoked(
  store: Store,
  acts: ConsentAct[],
  version: number,
  session: ClientSession,
): Promise<string[]> {
  await subscriptions(store).updateMany(
    { _id: { $in: acts.map(subscriptionId) } },
    { $set: { state: 'revoked', ended_at: timeNow(), to_begin: [], version } },
    { session },
  );
  const unshared = await unsharedOf(store, acts, session);
  await removeCatchUps(store, acts[0]!.channel, unshared, session);
  await wantDeletions(store, acts[0]!.channel, unshared, session);
  return unshared;
}

async function stillToRevoke(store: Store, wanted: ConsentAct[], session: ClientSession) {
  const of = { _id: { $in: wanted.map(subscriptionId) }, state: 'granted' } as const;
  const granted = await subscriptions(store)
    .find(of, { projection: { ends_at: 1 }, session })
    .toArray();
  const ends = new Map(granted.map(({ _id, ends_at = null }) => [_id, ends_at]));
  return wanted.filter((act) => {
    const ends_at = ends.get(subscriptionId(act));
    if (ends_at === undefined) return false;
    // An end that the farmer has moved concurrently has not come.
    return !('by' in act && act.by === 'end') || isSameEnd(act.ends_at, ends_at);
  });
}

/** The accounts of these that nobody shares any more. */
async function unsharedOf(store: Store, revoked: ConsentAct[], session: ClientSession): Promise<string[]> {
  const { channel } = revoked[0]!;
  const accounts = accountsOf(revoked);
  const shared = await subscriptions(store)
    .find({ channel, account: { $in: accounts }, state: 'granted' }, { projection: { account: 1 }, session })
    .toArray();
  const stillShared = new Set(accountsOf(shared));
  return accounts.filter((account) => !stillShared.has(account));
}

const accountsOf = (of: Pick<Subscription, 'account'>[]) => [...new Set(of.map(({ account }) => account))];

/**
 * A refusal is an entry in the ledger and nothing else. None is written of what is shared by now from another browser: a grant is the
 * last entry of what is granted.
 * @param wanted one batch, all of one channel
 */
export async function refuse(store: Store, wanted: ConsentAct[]): Promise<ActTaken> {
  return inOneTransaction(store, wanted, async (_, session) => {
    const granted = { _id: { $in: wanted.map(subscriptionId) }, state: 'granted' } as const;
    const ids = new Set(await subscriptions(store).distinct('_id', granted, { session }));
    return { changed: 0, acts: wanted.filter((act) => !ids.has(subscriptionId(act))) };
  });
}

/** What changes and is written, and which accounts nobody shares any more. */
interface Taken {
  changed: number;
  acts: ConsentAct[];
  unshared?: string[];
}

async function inOneTransaction(
  store: Store,
  wanted: ConsentAct[],
  take: (now: Channel, session: ClientSession) => Promise<Taken>,
): Promise<ActTaken> {
  const { channel } = wanted[0]!;
  return inTransaction(store, async (session) => {
    const now = await bumpSharesVersion(store, channel, session);
    const { changed, acts, unshared = [] } = await take(now, session);
    const written = acts.length > 0 ? await appendConsents(store, acts, session) : [];
    if (changed > 0) await noteConsents(store, now, { written, unshared: new Set(unshared) }, session);
    return { changed, last: written.at(-1) };
  });
}
