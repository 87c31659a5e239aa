import { randomBytes } from 'node:crypto';
import type { Channel } from './channels';
import type { Store } from './connect';
import { seal } from './seal';

// A customer who exchanges the secret at his own pace loses no page (delivery, signing).
const OVERLAP_MS = 24 * 3_600_000;

/** Standard Webhooks 1.0.0: 24 to 64 random bytes. */
export const newSigningSecret = () => `whsec_${randomBytes(32).toString('base64')}`;

/**
 * Gives a channel a new signing secret. Pages carry the signatures of both for 24 hours, or of the new one only.
 * @returns the secret, shown this once, and until when the one before is used; null when there is no such channel
 */
export async function rotateSigningSecret(
  store: Store,
  slug: string,
  { atOnce }: { atOnce: boolean },
  now = new Date(),
): Promise<{ signingSecret: string; old_until: Date | null } | null> {
  const channels = store.db.collection<Channel>('channels');
  const signingSecret = newSigningSecret();
  const old_until = atOnce ? null : new Date(now.getTime() + OVERLAP_MS);
  for (;;) {
    const channel = await channels.findOne({ _id: slug });
    if (!channel) return null;
    const [newest, ...older] = channel.signing_secrets;
    const kept =
      old_until && newest ? [{ sealed: newest.sealed, expires_at: old_until }, ...older.filter(isLive)] : [];
    const signing_secrets = [{ sealed: seal(store, slug, signingSecret) }, ...kept];
    const rotated = await channels.updateOne(
      { _id: slug, 'signing_secrets.0.sealed': newest?.sealed },
      { $set: { signing_secrets } },
    );
    if (rotated.matchedCount === 1) return { signingSecret, old_until };
  }

  function isLive({ expires_at }: Channel['signing_secrets'][number]): boolean {
    return expires_at === undefined || expires_at > now;
  }
}
