import { type Channel, channels, findChannel } from './channels';
import type { Store } from '../store';
import { revoked, rotated, type LiveTokens } from '../callers/live-tokens';
import { newToken } from '../callers/tokens';

/**
 * Adds a new API key; the previous newest one stays valid for `keepMs`.
 * @returns null when there is no such channel
 * @throws TwoTokensLive
 */
export async function rotateKey(
  store: Store,
  slug: string,
  keepMs: number,
): Promise<{ apiKey: string; old_api_key_ends_at: Date | null } | null> {
  const channel = await findChannel(store, slug);
  if (!channel) return null;
  const token = newToken('channel', store);
  const live = rotated(token, liveKeys(channel), keepMs);
  // A concurrent rotation won: start over.
  if (!(await setKeys(store, channel, live))) return rotateKey(store, slug, keepMs);
  return { apiKey: token, old_api_key_ends_at: live.ends_at ?? null };
}

/** Ends the `old` key, or `all`. @returns false when there is no such channel */
export async function revokeKey(store: Store, slug: string, which: 'old' | 'all'): Promise<boolean> {
  const channel = await findChannel(store, slug);
  if (!channel) return false;
  return (await setKeys(store, channel, revoked(liveKeys(channel), which))) || revokeKey(store, slug, which);
}

const liveKeys = ({ api_key_hashes, old_api_key_ends_at }: Channel): LiveTokens => ({
  hashes: api_key_hashes,
  ends_at: old_api_key_ends_at ?? undefined,
});

async function setKeys(store: Store, before: Channel, live: LiveTokens): Promise<boolean> {
  const { matchedCount } = await channels(store).updateOne(
    { _id: before._id, api_key_hashes: before.api_key_hashes },
    { $set: { api_key_hashes: live.hashes, old_api_key_ends_at: live.ends_at ?? null } },
  );
  return matchedCount === 1;
}
