import type { ClientSession } from 'mongodb';
import type { Store } from '../store';
import { carriesCompany, type Channel, channels } from './channels';

/**
 * Bumps `shares_version`, which invalidates cached selections. The first write of every transaction on a channel's
 * sharing, so that these transactions are serialized (docs/architecture.md#sharing).
 * @returns the channel as of this transaction
 */
export async function bumpSharesVersion(
  store: Store,
  slug: string,
  session?: ClientSession,
): Promise<Channel> {
  const channel = await channels(store).findOneAndUpdate(
    { _id: slug },
    { $inc: { shares_version: 1 } },
    { returnDocument: 'after', ...(session && { session }) },
  );
  if (!channel) throw new Error(`there is no channel ${slug}`);
  return channel;
}

/**
 * The same for every channel of scope `subscribed` that carries a company's records.
 * @returns their slugs
 */
export async function bumpSharesVersions(
  store: Store,
  company: string,
  session: ClientSession,
): Promise<string[]> {
  const subscribed = await channels(store)
    .find({ scope: 'subscribed' }, { projection: { companies: 1 }, session })
    .sort({ _id: 1 })
    .toArray();
  const slugs = subscribed.filter((channel) => carriesCompany(channel, company)).map(({ _id }) => _id);
  await channels(store).updateMany({ _id: { $in: slugs } }, { $inc: { shares_version: 1 } }, { session });
  return slugs;
}
