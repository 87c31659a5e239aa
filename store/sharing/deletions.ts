import { timeNow } from '../../domain/time/elapsed';
import type { ClientSession, Filter } from 'mongodb';
import { addTo } from '../../domain/records/add-to';
import type { Channel } from '../channels/channels';
import { bumpSharesVersion } from '../channels/shares-version';
import { appendConsents, type ConsentAct } from '../consent/consents';
import { ERASED, subscriptionKey, type Subscription, subscriptions } from '../consent/subscriptions';
import type { Store } from '../store';
import { inTransaction } from '../transact';

/** Asks the customer to delete what it has of these accounts, which nobody shares any more. For the transaction of a revoke. */
export async function wantDeletions(
  store: Store,
  channel: string,
  accounts: string[],
  session: ClientSession,
): Promise<void> {
  const account = { $in: accounts };
  const ended = { channel, account, state: 'revoked', partner_id: { $ne: ERASED } } as const;
  const deletion = { asked_at: null, confirmed_at: null };
  await subscriptions(store).updateMany(ended, { $set: { deletion }, $unset: { asking: 1 } }, { session });
}

/** Withdraws the requests to delete accounts that are shared again. For the transaction of a grant. */
export async function dropDeletions(
  store: Store,
  acts: Pick<ConsentAct, 'channel' | 'account'>[],
  session: ClientSession,
): Promise<void> {
  const account = { $in: acts.map((act) => act.account) };
  const asked = { channel: acts[0]!.channel, account, deletion: { $ne: null } };
  await subscriptions(store).updateMany(
    asked,
    { $set: { deletion: null }, $unset: { asking: 1 } },
    { session },
  );
}

/** Notes which notice asks for the deletions. */
export async function noteAsking(
  store: Store,
  channel: string,
  accounts: string[],
  asking: string,
  session: ClientSession,
): Promise<void> {
  const wanted = { channel, account: { $in: accounts }, 'deletion.asked_at': null, deletion: { $ne: null } };
  await subscriptions(store).updateMany(wanted, { $set: { asking } }, { session });
}

/** Subscriptions whose request for deletion is in a notice that is not known to be taken, by the notice's id. */
export async function listAsking(store: Store): Promise<Map<string, Subscription[]>> {
  const waiting = new Map<string, Subscription[]>();
  for await (const one of subscriptions(store).find({ asking: { $gt: '' } }))
    addTo(waiting, one.asking!, one);
  return waiting;
}

/** Forgets a notice that was given up or is gone. The customer is asked as well when it reads the list. */
export async function forgetAsking(store: Store, asking: string): Promise<void> {
  await subscriptions(store).updateMany({ asking }, { $unset: { asking: 1 } });
}

/**
 * The customer has taken the notice, or called for the list. In one transaction with the ledger; what was asked before stays.
 * @param offered what else tells the requests that it was offered from those of stops that came later (docs/contract.md F24)
 */
export async function noteAsked(
  store: Store,
  channel: Channel,
  accounts: string[],
  request_id: string,
  offered: Filter<Subscription> = {},
): Promise<void> {
  const wanted = { ...offered, 'deletion.asked_at': null, deletion: { $ne: null } };
  await write(store, channel, accounts, { wanted, request_id, isConfirmed: false });
}

/**
 * The customer says that it has deleted what it had of an account. Saying it again changes nothing. A customer that says so was
 * asked: if that is not recorded yet, it is recorded in the same transaction.
 * @returns when it has said so; `shared` where somebody shares the account; undefined where nothing of it was to be deleted
 */
export async function confirmDeletion(
  store: Store,
  channel: Channel,
  account: string,
  request_id: string,
): Promise<Date | 'shared' | undefined> {
  const wanted = { 'deletion.confirmed_at': null, deletion: { $ne: null } };
  for (;;) {
    // One read decides. Where somebody grants or revokes before the write, the next one does.
    const known = await subscriptions(store).find({ channel: channel._id, account }).toArray();
    if (known.some(({ state }) => state === 'granted')) return 'shared';
    const asked = known.flatMap(({ deletion }) => deletion ?? []);
    if (asked.every(({ confirmed_at }) => confirmed_at)) return asked[0]?.confirmed_at ?? undefined;
    const now = await write(store, channel, [account], { wanted, request_id, isConfirmed: true });
    if (now) return now;
  }
}

interface Said {
  wanted: object;
  request_id: string;
  /** The customer says that it is done; else only that it was asked. */
  isConfirmed: boolean;
}

/** @returns when it was written; undefined where there was nothing to write */
async function write(
  store: Store,
  { _id: slug }: Channel,
  accounts: string[],
  { wanted, request_id, isConfirmed }: Said,
): Promise<Date | undefined> {
  const due = { channel: slug, account: { $in: accounts }, state: 'revoked', ...wanted } as const;
  if (accounts.length === 0 || !(await subscriptions(store).findOne(due))) return undefined;
  return inTransaction(store, async (session) => {
    const { name: channel_name, entity_types } = await bumpSharesVersion(store, slug, session);
    const found = await subscriptions(store).find(due, { session }).toArray();
    if (found.length === 0) return undefined;
    const asked = found.filter(({ deletion }) => !deletion?.asked_at);
    const actsOf = (of: Subscription[], said: Pick<ConsentAct, 'act'> & { by: 'service' | 'customer' }) =>
      of.map((one): ConsentAct => ({
        ...subscriptionKey(one),
        channel_name,
        entity_types,
        ...said,
        request_id,
      }));
    const acts = [
      ...actsOf(asked, { act: 'deletion_asked', by: 'service' }),
      ...actsOf(isConfirmed ? found : [], { act: 'deletion_confirmed', by: 'customer' }),
    ];
    await appendConsents(store, acts, session);
    const now = timeNow();
    const set = (of: Subscription[], $set: object) =>
      subscriptions(store).updateMany(
        { _id: { $in: of.map(({ _id }) => _id) } },
        { $set, $unset: { asking: 1 } },
        { session },
      );
    if (asked.length > 0) await set(asked, { 'deletion.asked_at': now });
    if (isConfirmed) await set(found, { 'deletion.confirmed_at': now });
    return now;
  });
}
