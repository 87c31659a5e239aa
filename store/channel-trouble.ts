import type { Trouble } from '../domain/judge-trouble';
import type { Channel } from './channels';
import type { Store } from './connect';

const channels = (store: Store) => store.db.collection<Channel>('channels');

/**
 * Keeps what a delivery's end has made of the channel's trouble.
 * @param freshAt given when the delivery has confirmed something
 */
export async function setTrouble(
  store: Store,
  slug: string,
  trouble: Trouble | undefined,
  freshAt: Date | undefined,
): Promise<void> {
  const set = { ...(trouble && { failing: trouble }), ...(freshAt && { fresh_at: freshAt }) };
  const kept = Object.keys(set).length > 0 ? { $set: set } : {};
  await channels(store).updateOne({ _id: slug }, { ...kept, ...(!trouble && { $unset: { failing: 1 } }) });
}

/**
 * Pauses a channel for the trouble it has had since then. Not one that an operator has paused already, whose reason
 * stays, nor one that was resumed meanwhile, which starts anew.
 */
export async function pauseFailing(
  store: Store,
  slug: string,
  since: Date,
  paused: { reason: string; at: Date },
): Promise<void> {
  await channels(store).updateOne(
    { _id: slug, state: 'active', 'failing.since': since },
    { $set: { state: 'paused', paused } },
  );
}

/** A run had nothing to send: the channel is as fresh as can be. */
export async function noteEmptyRun(store: Store, slug: string): Promise<void> {
  await channels(store).updateOne({ _id: slug }, { $set: { fresh_at: new Date() } });
}

/** The last confirmed page or empty run; else when the channel began. */
export function freshest({ fresh_at, created_at }: Channel, deliveredAt: Date | null): Date {
  const known = [created_at, fresh_at, deliveredAt].flatMap((instant) => instant ?? []);
  return new Date(Math.max(...known.map((instant) => instant.getTime())));
}
