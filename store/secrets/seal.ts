import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Store } from '../store';
import { StoreMismatch } from '../store-mismatch';

// key id (4 bytes), then what `encrypt` returns
const KEY_ID_BYTES = 4;
// nonce (12 bytes), tag (16), ciphertext
const NONCE_END = 12;
const TAG_END = 28;

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
 * Encrypts a secret that the API reads again, for storage. What customers have given us is sealed by
 * `customerSecrets` instead.
 * @param owner associated data: a secret copied to another owner does not open (docs/contract.md O15)
 */
export function seal({ secretKey }: Keys, owner: string, secret: string): Buffer {
  if (!secretKey) throw new SecretKeyMissing(owner, 'GDX_SECRET_KEY');
  return Buffer.concat([keyId(secretKey), encrypt(secretKey, owner, secret)]);
}

/**
 * Decrypts what `seal` has encrypted, with the key that it names.
 * @throws SecretKeyMissing; any other error when the owner differs or a byte was changed
 */
export function unseal({ secretKey, oldSecretKeys = [] }: Keys, owner: string, sealed: Buffer): string {
  const id = sealed.subarray(0, KEY_ID_BYTES);
  const keys = [...(secretKey ? [secretKey] : []), ...oldSecretKeys];
  const key = keys.find((known) => keyId(known).equals(id));
  if (!key) throw new SecretKeyMissing(owner, id.toString('hex'));
  return decrypt(key, owner, sealed.subarray(KEY_ID_BYTES));
}

/** AES-256-GCM with a random nonce. @param owner associated data */
export function encrypt(key: Buffer, owner: string, secret: string): Buffer {
  const nonce = randomBytes(NONCE_END);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(owner));
  const encrypted = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]);
}

/** @throws when the key or the owner differs, or a byte was changed */
export function decrypt(key: Buffer, owner: string, encrypted: Buffer): string {
  const decipher = createDecipheriv('aes-256-gcm', key, encrypted.subarray(0, NONCE_END), {
    authTagLength: 16,
  })
    .setAAD(Buffer.from(owner))
    .setAuthTag(encrypted.subarray(NONCE_END, TAG_END));
  const secret = decipher.update(encrypted.subarray(TAG_END));
  return Buffer.concat([secret, decipher.final()]).toString('utf8');
}

/** Whether it is sealed with the key that new secrets are sealed with. */
export function isCurrent({ secretKey }: Keys, sealed: Buffer): boolean {
  return secretKey !== undefined && keyId(secretKey).equals(sealed.subarray(0, KEY_ID_BYTES));
}

/** Derives a key for another purpose; the original cannot be computed from it. */
export function deriveKey(key: Buffer, purpose: string, length = 32): Buffer {
  return Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), `gdx ${purpose}`, length));
}

const keyId = (key: Buffer) => deriveKey(key, 'key id', KEY_ID_BYTES);
