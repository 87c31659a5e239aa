import type { ClientSession } from 'mongodb';
import { createHash, type KeyObject, randomBytes } from 'node:crypto';
import { privateKeyFrom, publicKeyFrom, rawPublicKey } from '../../domain/settings/raw-keys';
import { deriveKey, seal, unseal } from './seal';
import { StoreMismatch } from '../store-mismatch';
import type { Store } from '../store';
import { isFirst } from '../unavailable';

/** Verifies entries of the ledger that it has signed. */
export interface LedgerKey {
  id: string;
  publicKey: KeyObject;
  /** 32 bytes as base64, for auditors. */
  shown: string;
  /** Keys the hashes. */
  mac: Buffer;
}

/** Newest first: only the first one signs. */
export interface LedgerKeys {
  known: LedgerKey[];
  signer: KeyObject;
}

/**
 * Sealed with the secret key, which the worker and the database do not have, so that nobody without it can add a key of
 * their own to those that verify (docs/decisions/0025).
 */
interface StoredLedgerKeys {
  _id: 'ledger';
  sealed: Buffer;
}

/** Only the verifying half of a replaced key is stored. */
interface Kept {
  seed: string;
  older: { public_key: string; mac: string }[];
}

const OWNER = 'key/ledger';

const keys = (store: Store) => store.db.collection<StoredLedgerKeys>('keys');

/** Creates the first key from the secret key, unless the database has one. */
export async function ensureLedgerKeys(store: Store): Promise<void> {
  if ((await keys(store).countDocuments({ _id: 'ledger' }, { limit: 1 })) === 1) return;
  const seed = deriveKey(store.secretKey!, 'ledger').toString('base64');
  // Another process may be first.
  await isFirst(keys(store).insertOne({ _id: 'ledger', sealed: sealKeys(store, { seed, older: [] }) }));
}

/** Read for each signing, so that no process continues with a key that was replaced. */
export async function readLedgerKeys(store: Store, session?: ClientSession): Promise<LedgerKeys> {
  const { seed, older } = await readKept(store, session);
  const signer = privateKeyFrom('Ed25519', Buffer.from(seed, 'base64'));
  return { known: [verifying(seed), ...older].map(ledgerKey), signer };
}

/** Replaces the key that signs; those before it still verify what they have signed. @returns the new one */
export async function replaceLedgerKey(store: Store): Promise<LedgerKey> {
  for (;;) {
    const before = (await keys(store).findOne({ _id: 'ledger' }))!;
    const { seed, older } = await readKept(store);
    const replaced = verifying(seed);
    const kept: Kept = { seed: randomBytes(32).toString('base64'), older: [replaced, ...older] };
    const filter = { _id: 'ledger' as const, sealed: before.sealed };
    const { matchedCount } = await keys(store).updateOne(filter, { $set: { sealed: sealKeys(store, kept) } });
    if (matchedCount === 1) return (await readLedgerKeys(store)).known[0]!;
  }
}

async function readKept(store: Store, session?: ClientSession): Promise<Kept> {
  const stored = await keys(store).findOne({ _id: 'ledger' }, session ? { session } : {});
  if (!stored) throw new StoreMismatch('the keys of the ledger are not there', 'run `gdx migrate`');
  return JSON.parse(unseal(store, OWNER, stored.sealed)) as Kept;
}

const sealKeys = (store: Store, kept: Kept) => seal(store, OWNER, JSON.stringify(kept));

/** The verifying half of a key. */
function verifying(seed: string): Kept['older'][number] {
  const raw = Buffer.from(seed, 'base64');
  const mac = deriveKey(raw, 'ledger hashes').toString('base64');
  return { public_key: rawPublicKey('Ed25519', raw).toString('base64'), mac };
}

function ledgerKey({ public_key, mac }: Kept['older'][number]): LedgerKey {
  const raw = Buffer.from(public_key, 'base64');
  const id = createHash('sha256').update(raw).digest('hex').slice(0, 8);
  const publicKey = publicKeyFrom('Ed25519', raw);
  return { id, publicKey, shown: public_key, mac: Buffer.from(mac, 'base64') };
}
