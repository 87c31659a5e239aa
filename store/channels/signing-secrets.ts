import { timeNow } from '../../domain/time/elapsed';
import { newSigning } from './sent-secrets';
import type { Store } from '../store';
import { channels, findChannel, keysUntil, liveSigning, NOT_CLOSED } from './channels';
import { channelOwner } from '../secrets/channel-seal';
import { DAY_MS } from '../../domain/time/spans';

// Customers replace the secret at their own pace without losing a page (docs/decisions/0004).
const OVERLAP_MS = DAY_MS;

/** A new secret, shown only now, its public key, and until when the previous ones are used. */
export interface RotatedSecret {
  signingSecret: string;
  publicKey: string;
  old_until: Date | null;
}

/**
 * Gives a channel a new signing secret and key pair. For 24 hours pages carry signatures of the previous ones too, unless
 * `atOnce`.
 * @returns null when there is no such channel
 */
export async function rotateSigningSecret(
  store: Store,
  slug: string,
  { atOnce }: { atOnce: boolean },
  now = timeNow(),
): Promise<RotatedSecret | null> {
  const old_until = atOnce ? null : new Date(now.getTime() + OVERLAP_MS);
  for (;;) {
    const channel = await findChannel(store, slug);
    if (!channel) return null;
    const { signing, signingSecret, publicKey } = await newSigning(store, channelOwner(channel));
    const [newest] = channel.signing_secrets;
    const older = liveSigning(channel, now).filter((one) => one !== newest);
    const kept = old_until && newest ? [{ ...newest, expires_at: old_until }, ...older] : [];
    const signing_secrets = [{ ...signing, from: now }, ...kept];
    const past_keys = keysUntil(channel, old_until ?? now);
    const rotated = await channels(store).updateOne(
      { _id: slug, ...NOT_CLOSED, base_url: channel.base_url, 'signing_secrets.0.sealed': newest?.sealed },
      { $set: { signing_secrets, past_keys }, $inc: { shares_version: 1 } }, // a page that waits is signed again
    );
    if (rotated.matchedCount === 1) return { signingSecret, publicKey, old_until };
  }
}
