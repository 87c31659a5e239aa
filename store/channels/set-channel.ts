import { timeNow } from '../../domain/time/elapsed';
import {
  type Channel,
  type ChannelSettings,
  channels,
  findChannel,
  liveSigning,
  NOT_CLOSED,
} from './channels';
import { channelOwner, resealForChannel } from '../secrets/channel-seal';
import { sealSent, type SentSecrets } from './sent-secrets';
import type { Store } from '../store';

/** The settings of a channel that can change. Scope and companies cannot: farmers and customers rely on them. */
export type ChannelChanges = Partial<Omit<ChannelSettings, 'scope' | 'companies'>> &
  Pick<Channel, 'contact' | 'end_required' | 'notify_url'> &
  SentSecrets;

/**
 * Changes a channel. A new page size also drops the limits learnt from 413s. What farmers agree to is changed only if nothing
 * was granted or revoked since `refuse` was called; otherwise it is called again (docs/contract.md S5). For a new address the
 * secrets are sealed again, and written only if they have not changed since they were read.
 * @param refuse throws when the channel may not be changed in this way
 * @returns the changed channel, or null when there is none
 */
export async function setChannel(
  store: Store,
  slug: string,
  changes: ChannelChanges,
  refuse: (before: Channel) => Promise<void> = async () => {},
): Promise<Channel | null> {
  for (;;) {
    const before = await findChannel(store, slug);
    if (!before) return null;
    await refuse(before);
    const changed = await write(store, before, changes);
    if (changed) return changed;
  }
}

async function write(store: Store, before: Channel, changes: ChannelChanges): Promise<Channel | null> {
  const { authorization: _, headers: __, ...rest } = changes;
  const after = { ...before, ...rest };
  const sealed = await sealSent(store, channelOwner(after), changes);
  const moves = channelOwner(after) !== channelOwner(before);
  const resealed = moves ? await reseal(store, before, after, changes) : {};
  const { _id, base_url, shares_version } = before;
  const asSeen = {
    base_url,
    ...(moves && secretsOf(before)),
    ...((changes.entity_types ?? changes.purpose ?? changes.passes_on) && { shares_version }),
  };
  return channels(store).findOneAndUpdate(
    { _id, ...NOT_CLOSED, ...asSeen },
    {
      $set: { ...rest, ...resealed, ...sealed },
      ...(changes.page_size === undefined ? {} : { $unset: { page_limits: 1, page_limit: 1 } }),
    },
    { returnDocument: 'after' },
  );
}

/** As a filter: an absent field equals null. */
const secretsOf = ({ signing_secrets, authorization, headers }: Channel) => ({
  signing_secrets,
  authorization: (authorization ?? null)!,
  headers: (headers ?? null)!,
});

/** What was sealed for the address before and is not replaced. */
async function reseal(store: Store, before: Channel, after: Channel, changes: SentSecrets) {
  const again = (sealed: Buffer) => resealForChannel(store, before, after, sealed);
  const authorization = changes.authorization === undefined ? before.authorization : undefined;
  const headers = changes.headers ? undefined : before.headers;
  const signing = liveSigning(before, timeNow()).map(async (one) => ({
    ...one,
    sealed: await again(one.sealed),
    pair: { ...one.pair, sealed: await again(one.pair.sealed) },
  }));
  const named = headers?.map(async ({ name, sealed }) => ({ name, sealed: await again(sealed) }));
  return {
    signing_secrets: await Promise.all(signing),
    ...(authorization && { authorization: await again(authorization) }),
    ...(named && { headers: await Promise.all(named) }),
  };
}
