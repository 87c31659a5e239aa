import type { OwnHeader } from '../../domain/settings/own-header';
import { newSigningPair, newSigningSecret } from '../callers/tokens';
import type { Store } from '../store';

/** What the operator sets in the clear and every page carries. */
export interface SentSecrets {
  authorization?: string;
  headers?: OwnHeader[];
}

/** As they are stored. */
export async function sealSent(store: Store, owner: string, { authorization, headers }: SentSecrets) {
  const seal = (secret: string) => store.customerSecrets.seal(owner, secret);
  const sealHeader = async ({ name, value }: OwnHeader) => ({ name, sealed: await seal(value) });
  return {
    ...(authorization !== undefined && { authorization: await seal(authorization) }),
    ...(headers && { headers: await Promise.all(headers.map(sealHeader)) }),
  };
}

/** What a page is signed with, sealed: a secret for `v1`, and a key pair for `v1a` of Standard Webhooks. */
export interface Signing {
  sealed: Buffer;
  pair: { sealed: Buffer; public_key: string };
  /** Missing of one that was made before this was kept. */
  from?: Date;
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
