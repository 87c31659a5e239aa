import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Store } from './connect';

const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;

/**
 * Encrypts a secret for storage with AES-256-GCM.
 * @param owner bound in as associated data: a secret copied to another channel does not open (proof, security)
 */
export function seal(store: Store, owner: string, secret: string): Buffer {
  const nonce = randomBytes(NONCE_LENGTH);
  const cipher = createCipheriv('aes-256-gcm', store.secretKey, nonce).setAAD(Buffer.from(owner));
  const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

/** @throws when the key or the owner is another one than it was sealed with. */
export function unseal(store: Store, owner: string, sealed: Buffer): string {
  const decipher = createDecipheriv('aes-256-gcm', store.secretKey, sealed.subarray(0, NONCE_LENGTH))
    .setAAD(Buffer.from(owner))
    .setAuthTag(sealed.subarray(NONCE_LENGTH, NONCE_LENGTH + TAG_LENGTH));
  const secret = decipher.update(sealed.subarray(NONCE_LENGTH + TAG_LENGTH));
  return Buffer.concat([secret, decipher.final()]).toString('utf8');
}
