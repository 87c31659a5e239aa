import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Store } from './connect';
import { StoreMismatch } from './store-mismatch';

// key id (4 bytes), nonce (12), tag (16), then what is hidden
const KEY_ID = { from: 0, to: 4 };
const NONCE = { from: 4, to: 16 };
const TAG = { from: 16, to: 32 };

type Keys = Pick<Store, 'secretKey' | 'oldSecretKeys'>;

/** Sealed with a key that this process was not given. */
export class SecretKeyMissing extends StoreMismatch {
  override name = 'SecretKeyMissing';

  constructor(owner: string, keyId: string) {
    super(
      `the secret of ${owner} is sealed with a key that is not here (${keyId})`,
      'set GDX_SECRET_KEY to the key that this database was used with, or add that one to GDX_SECRET_KEY_OLD',
    );
  }
}

/**
 * Encrypts a secret for storage with AES-256-GCM.
 * @param owner bound in as associated data: a secret copied to another channel does not open (proof, security)
 */
export function seal({ secretKey }: Keys, owner: string, secret: string): Buffer {
  const nonce = randomBytes(NONCE.to - NONCE.from);
  const cipher = createCipheriv('aes-256-gcm', secretKey, nonce).setAAD(Buffer.from(owner));
  const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return Buffer.concat([keyId(secretKey), nonce, cipher.getAuthTag(), sealed]);
}

/**
 * Opens what `seal` has sealed, with the key that it names.
 * @throws SecretKeyMissing; any other error when the owner is another one or a byte was changed
 */
export function unseal({ secretKey, oldSecretKeys = [] }: Keys, owner: string, sealed: Buffer): string {
  const id = sealed.subarray(KEY_ID.from, KEY_ID.to);
  const key = [secretKey, ...oldSecretKeys].find((known) => keyId(known).equals(id));
  if (!key) throw new SecretKeyMissing(owner, id.toString('hex'));
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(NONCE.from, NONCE.to))
    .setAAD(Buffer.from(owner))
    .setAuthTag(sealed.subarray(TAG.from, TAG.to));
  const secret = decipher.update(sealed.subarray(TAG.to));
  return Buffer.concat([secret, decipher.final()]).toString('utf8');
}

/** Whether it is sealed with the key that new secrets are sealed with. */
export function isCurrent({ secretKey }: Keys, sealed: Buffer): boolean {
  return keyId(secretKey).equals(sealed.subarray(KEY_ID.from, KEY_ID.to));
}

/** Another key for another purpose, from which this one cannot be found. */
export function deriveKey(key: Buffer, purpose: string, length = 32): Buffer {
  return Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), `gdx ${purpose}`, length));
}

function keyId(key: Buffer): Buffer {
  return deriveKey(key, 'key id', KEY_ID.to - KEY_ID.from);
}
