import { noteChange } from '../store/alerts/customer-notices';
import type { Channel } from '../store/channels/channels';
import { rotateSigningSecret, type RotatedSecret } from '../store/channels/signing-secrets';
import { type Asker, type Parts, recordAction } from './record-action';

/**
 * Gives a channel a new signing secret and key pair. For 24 hours pages carry the signatures of the previous ones too,
 * unless `atOnce`.
 * @returns the secret, shown only now; undefined when the same action was recorded before
 */
export async function rotateSecret(
  parts: Pick<Parts, 'store'>,
  channel: Channel,
  { atOnce }: { atOnce: boolean },
  asker: Asker,
): Promise<(RotatedSecret & { outcome: string }) | undefined> {
  const { _id: slug, signing_secrets } = channel;
  const before = { signing_secrets: signing_secrets.length };
  const about = atOnce ? 'at once' : '';
  const action = { action: 'channel rotate-secret', channel: slug, about, before } as const;
  return recordAction(parts, asker, action, async () => {
    const rotated = await rotateSigningSecret(parts.store, slug, { atOnce });
    if (!rotated) throw new Error(`there is no channel ${slug}`);
    await noteChange(parts.store, channel, 'signing_secret.rotated');
    return { ...rotated, outcome: 'Done.' };
  });
}
