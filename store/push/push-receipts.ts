import type { ClientSession } from 'mongodb';
import type { Store } from '../store';
import { isDuplicateKey } from '../unavailable';
import type { RenderedPush } from './rendered-push';

/** Proof that one request of one integration was stored, for 72 hours (docs/contract.md E8). */
interface PushReceipt {
  /** `<integration id>/<request id>` */
  _id: string;
  body_hash: Buffer;
  at: Date;
}

const RETENTION_HOURS = 72;

const receipts = (store: Store) => store.db.collection<PushReceipt>('push_receipts');

export const pushReceiptIndexes = [
  { name: 'expiry', key: { at: 1 }, expireAfterSeconds: RETENTION_HOURS * 3600 },
];

/** What a receipt is about. */
type Request = Pick<RenderedPush, 'receiptId' | 'bodyHash'>;

export type ReceiptState = 'none' | 'same' | 'other';

/** Whether each of these requests was stored before, with the same or another body. */
export async function readReceipts<R extends Request>(
  store: Store,
  requests: readonly R[],
): Promise<Map<R, ReceiptState>> {
  const ids = requests.map(({ receiptId }) => receiptId);
  const found = await receipts(store)
    .find({ _id: { $in: ids } })
    .toArray();
  const hashes = new Map(found.map(({ _id, body_hash }) => [_id, body_hash]));
  return new Map(requests.map((request) => [request, stateOf(hashes.get(request.receiptId), request)]));
}

function stateOf(stored: Buffer | undefined, { bodyHash }: Request): ReceiptState {
  if (!stored) return 'none';
  return bodyHash.equals(stored) ? 'same' : 'other';
}

export async function writeReceipts(
  store: Store,
  requests: readonly Request[],
  session?: ClientSession,
): Promise<void> {
  const at = new Date();
  await receipts(store).insertMany(
    requests.map(({ receiptId, bodyHash }) => ({ _id: receiptId, body_hash: bodyHash, at })),
    session ? { session } : {},
  );
}

/** The receipt of the first of two concurrent equal requests, for the second. Rethrows any other error. */
export async function receiptAfterConflict(
  store: Store,
  request: Request,
  error: unknown,
): Promise<ReceiptState> {
  if (!isDuplicateKey(error)) throw error;
  const state = (await readReceipts(store, [request])).get(request)!;
  if (state === 'none') throw error;
  return state;
}
