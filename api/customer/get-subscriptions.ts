import { formatInstant } from '../../domain/time/instants';
import type { Channel } from '../../store/channels/channels';
import { accountsById, nameless, type OfferedAccount } from '../../store/consent/offered-accounts';
import { listEnded, listGranted, type Subscription } from '../../store/consent/subscriptions';
import { noteAsked } from '../../store/sharing/deletions';
import type { Store } from '../../store/store';
import { invalid } from '../http/http-error';
import { type ChannelContext, type Deps, ENTRIES_OF_REQUEST } from '../http/route';

/**
 * `GET .../subscriptions`: the accounts shared with the channel, for all partner_ids or one (docs/contract.md
 * C17). With `?ended=true`, the accounts that are no longer shared, and which of them to delete
 * (docs/contract.md C28).
 */
export async function getSubscriptions(ctx: ChannelContext, { store }: Deps): Promise<void> {
  const { partner_id: partnerId, ended } = ctx.query;
  if (Array.isArray(partnerId)) throw invalid({ partner_id: ['must be given once'] });
  if (ended !== undefined && ended !== 'true') throw invalid({ ended: ['must be true'] });
  if (ended) return getEnded(ctx, store, partnerId);
  const { channel } = ctx.state;
  const granted = await listGranted(store, channel._id, partnerId);
  await ctx.state.charge?.(granted.length / ENTRIES_OF_REQUEST);
  const shared = firstOfEach(granted);
  const names = await namesOf(store, channel, shared);
  ctx.body = {
    data: shared.map(({ account: id, partner_id, since, ends_at = null, from = null }) => {
      const account = { ...accountWithoutName(id), ...names.get(id) };
      const end = ends_at && formatInstant(ends_at);
      return { account, partner_id, since: formatInstant(since), ends_at: end, earlier: from === null };
    }),
  };
}

/** The names in the accounts' records, of those that the channel is sent as they are stored now. */
async function namesOf(
  store: Store,
  { entity_types }: Channel,
  shared: Subscription[],
): Promise<Map<string, Pick<OfferedAccount, 'name'>>> {
  const told = entity_types.includes('accounts') ? shared.filter(({ from }) => !from) : [];
  const accounts = await accountsById(store, [...new Set(told.map(({ account }) => account))]);
  return new Map(accounts.map(({ id, name }) => [id, { name }]));
}

/** Its ids, in the place of its name as well. */
function accountWithoutName(id: string) {
  const { remote_id, name } = nameless(id);
  return { id, remote_id, name };
}

/**
 * Two farmers who share one account under one partner_id become one subscription, from the first beginning to
 * the last end. It has the earlier records if either shares them. So the customer learns nothing about
 * farmers.
 */
function firstOfEach(oldestFirst: Subscription[]): Subscription[] {
  const first = new Map<string, Subscription>();
  for (const subscription of oldestFirst) {
    const key = keyOf(subscription);
    const known = first.get(key);
    const ends_at = known ? laterEnd(known.ends_at, subscription.ends_at) : subscription.ends_at;
    const from = (known && !known.from) || !subscription.from ? null : subscription.from;
    first.set(key, { ...(known ?? subscription), ends_at: ends_at ?? null, from });
  }
  return [...first.values()];
}

const keyOf = ({ account, partner_id }: Subscription) => JSON.stringify([account, partner_id]);

const laterEnd = (a: Date | null | undefined, b: Date | null | undefined) =>
  a && b ? (a > b ? a : b) : null;

/** Whoever calls for this list is offered the requests to delete, whether its answer comes through or not. An answer to HEAD has none. */
async function getEnded(ctx: ChannelContext, store: Store, partnerId: string | undefined): Promise<void> {
  const { channel, requestId } = ctx.state;
  const revoked = await listEnded(store, channel._id, { partnerId });
  await ctx.state.charge?.(revoked.length / ENTRIES_OF_REQUEST);
  const ended = newestOfEach(revoked);
  const toDelete = ctx.method === 'HEAD' ? [] : ended.filter(({ deletion }) => deletion);
  await noteAsked(
    store,
    channel,
    toDelete.map(({ account }) => account),
    requestId,
    { version: { $lte: channel.shares_version } }, // read before the list
  );
  ctx.body = {
    data: ended.flatMap(({ account, partner_id, ended_at, deletion }) => {
      if (!ended_at) return [];
      const confirmed = deletion?.confirmed_at;
      return {
        ...{ account: accountWithoutName(account), partner_id, ended_at: formatInstant(ended_at) },
        ...{ delete: !!deletion, confirmed_at: confirmed ? formatInstant(confirmed) : null },
      };
    }),
  };
}

function newestOfEach(newestFirst: Subscription[]): Subscription[] {
  const newest = new Map<string, Subscription>();
  for (const one of newestFirst) if (!newest.has(keyOf(one))) newest.set(keyOf(one), one);
  return [...newest.values()];
}
