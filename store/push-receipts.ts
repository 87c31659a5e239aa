import type { ClientSession } from 'mongodb';
import type { Store } from './connect';
import { isDuplicateKey } from './unavailable';

/** Proof that one request of one integration was stored, kept 30 days (contract 2). */
interface PushReceipt {
  /** `<integration id>/<request id>` */
  _id: string;
  body_hash: Buffer;
  at: Date;
}

const DAYS_KEPT = 30;

const receipts = (store: Store) => store.db.collection<PushReceipt>('push_receipts');

export const pushReceiptIndexes = [
  { name: 'expiry', key: { at: 1 }, expireAfterSeconds: DAYS_KEPT * 24 * 3600 },
];

export type ReceiptState = 'none' | 'same' | 'other';

/** Whether this request was stored before, and with the same body. */
export async function readReceipt(store: Store, id: string, bodyHash: Buffer): Promise<ReceiptState> {
  const receipt = await receipts(store).findOne({ _id: id });
  if (!receipt) return 'none';
  return bodyHash.equals(receipt.body_hash) ? 'same' : 'other';
}

export async function writeReceipt(
  store: Store,
  id: string,
  bodyHash: Buffer,
  session?: ClientSession,
): Promise<void> {
  await receipts(store).insertOne(
    { _id: id, body_hash: bodyHash, at: new Date() },
    session ? { session } : {},
  );
}

/** Two equal requests at once: the second finds the first one's receipt. Anything else is passed on. */
export async function receiptAfterConflict(
  store: Store,
  id: string,
  bodyHash: Buffer,
  error: unknown,
): Promise<ReceiptState> {
  if (!isDuplicateKey(error)) throw error;
  const state = await readReceipt(store, id, bodyHash);
  if (state === 'none') throw error;
  return state;
}
