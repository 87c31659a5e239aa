import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';

/** Curves whose keys are 32 plain bytes. */
type Curve = 'X25519' | 'Ed25519';

// RFC 8410: the DER that stands before the 32 bytes of a key.
const BEFORE_PRIVATE = {
  X25519: '302e020100300506032b656e04220420',
  Ed25519: '302e020100300506032b657004220420',
};
const BEFORE_PUBLIC = { X25519: '302a300506032b656e032100', Ed25519: '302a300506032b6570032100' };

export const privateKeyFrom = (curve: Curve, raw: Buffer): KeyObject =>
  createPrivateKey({ key: behind(BEFORE_PRIVATE[curve], raw), format: 'der', type: 'pkcs8' });

export const publicKeyFrom = (curve: Curve, raw: Buffer): KeyObject =>
  createPublicKey({ key: behind(BEFORE_PUBLIC[curve], raw), format: 'der', type: 'spki' });

/** The 32 bytes of the public key that belongs to a private one. */
export const rawPublicKey = (curve: Curve, rawPrivate: Buffer): Buffer =>
  createPublicKey(privateKeyFrom(curve, rawPrivate)).export({ format: 'der', type: 'spki' }).subarray(-32);

const behind = (before: string, raw: Buffer) => Buffer.concat([Buffer.from(before, 'hex'), raw]);
