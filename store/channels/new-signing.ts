import type { Store } from '../store';
import { newSigningPair, newSigningSecret } from '../callers/tokens';

/** What a page is signed with, sealed: a secret for `v1`, and a key pair for `v1a` of Standard Webhooks. */
export interface Signing {
  sealed: Buffer;
  pair: { sealed: Buffer; public_key: string };
  expires_at?: Date;
}

/** The customer gets both: the secret is shown only now, the public key at any time. */
export async function newSigning(
  { customerSecrets }: Store,
  owner: string,
): Promise<{ signing: Signing; signingSecret: string; publicKey: string }> {
  const signingSecret = newSigningSecret();
  const { privateKey, publicKey } = newSigningPair();
  const pair = { sealed: await customerSecrets.seal(owner, privateKey), public_key: publicKey };
  const signing = { sealed: await customerSecrets.seal(owner, signingSecret), pair };
  return { signing, signingSecret, publicKey };
}
