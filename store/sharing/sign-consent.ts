import { createHmac, type KeyObject, sign, verify } from 'node:crypto';
import { fieldsOf } from './consent-fields';
import type { LedgerKey } from './ledger-keys';

type Hashed = { hash: string; signature?: string };

/** Keyed, so that a hash cannot be computed, and no entry guessed by its hash, without the ledger's key. */
export const keyedHash = ({ mac }: LedgerKey, consent: object) =>
  createHmac('sha256', mac).update(fieldsOf(consent)).digest('hex');

/** Over all that the hash covers, and the hash: who has the public key alone verifies the entry and its place. */
export const signatureOf = (signer: KeyObject, consent: Hashed) =>
  sign(null, signedText(consent), signer).toString('base64');

export const isSigned = ({ publicKey }: LedgerKey, consent: Hashed) =>
  verify(null, signedText(consent), publicKey, Buffer.from(consent.signature ?? '', 'base64'));

const signedText = (consent: Hashed) => Buffer.from(`${consent.hash}\n${fieldsOf(consent)}`);
