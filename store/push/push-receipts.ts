import { timeNow } from '../../domain/time/elapsed';
import type { ClientSession } from 'mongodb';
import type { ValidationMessages } from '../../domain/records/validation-messages';
import type { Store } from '../store';
import { isDuplicateKey, NEWEST, WriteTimeout } from '../unavailable';
import { recordCount, type ValidPush } from './valid-push';

/** Proof that one request of one integration was stored, and its outcome, for 72 hours (docs/contract.md E8). */
interface PushReceipt {
  /** `<integration id>/<request id>` */
  _id: string;
  body_hash: Buffer;
  at: Date;
  /** Records, apart from elevators. */
  changed: number;
  unchanged: number;
  /** Those of the push, whether they changed or not; receipts of earlier releases have none. */
  elevators?: number;
  warnings: number;
  /** A list, as paths have dots, which names of members may not have everywhere. */
  first_warnings?: { path: string; messages: string[] }[];
}

export const RETENTION_HOURS = 72;

const receipts = (store: Store) => store.db.collection<PushReceipt>('push_receipts');

export const pushReceiptIndexes = [
  { name: 'expiry', key: { at: 1 }, expireAfterSeconds: RETENTION_HOURS * 3600 },
];

/** What a receipt is about. */
type Request = Pick<ValidPush, 'receiptId' | 'bodyHash'>;

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
  pushes: readonly ValidPush[],
  changed: ReadonlyMap<ValidPush, number>,
  session?: ClientSession,
): Promise<void> {
  const at = timeNow();
  const made = pushes.map((push) => receiptOf(push, changed.get(push) ?? 0, at));
  if (made.length === 0) return;
  await receipts(store)
    .insertMany(made, session ? { session } : {})
    .catch((error: unknown) => {
      throw isDuplicateKey(error) ? new EqualRequest('', { cause: error }) : error;
    });
}

/** A request with the id of one of the receipts was stored at the same moment. */
class EqualRequest extends Error {}

function receiptOf(push: ValidPush, changed: number, at: Date): PushReceipt {
  const { receiptId, bodyHash, warnings } = push;
  const first_warnings = Object.entries(warnings.messages).map(([path, messages]) => ({ path, messages }));
  return {
    _id: receiptId,
    body_hash: bodyHash,
    at,
    changed,
    unchanged: recordCount(push) - changed,
    elevators: push.elevators.length,
    warnings: warnings.count,
    ...(first_warnings.length > 0 && { first_warnings }),
  };
}

/** What a stored push did. */
export interface PushReport {
  at: Date;
  changed: number;
  unchanged: number;
  /** Undefined in receipts of earlier releases. */
  elevators: number | undefined;
  warnings: { count: number; messages: ValidationMessages };
}

/** The outcome of the push with this receipt; null when there is none. */
export async function findPushReport(store: Store, receiptId: string): Promise<PushReport | null> {
  const found = await receipts(store).findOne({ _id: receiptId });
  if (!found) return null;
  const { at, changed, unchanged, elevators, warnings, first_warnings = [] } = found;
  const messages = Object.fromEntries(first_warnings.map(({ path, messages: said }) => [path, said]));
  return { at, changed, unchanged, elevators, warnings: { count: warnings, messages } };
}

/**
 * Where an equal request was stored at the same moment: its receipt, for the request that came second. Rethrows any other error.
 * @throws WriteTimeout where it is not there yet
 */
export async function receiptAfterConflict(
  store: Store,
  request: Request,
  error: unknown,
): Promise<ReceiptState> {
  if (!(error instanceof EqualRequest)) throw error;
  const found = await receipts(store).findOne({ _id: request.receiptId }, NEWEST);
  const state = stateOf(found?.body_hash, request);
  if (state === 'none') throw new WriteTimeout('an equal request is being stored');
  return state;
}

/** Those of an integration whose company is erased. */
export async function forgetReceipts(store: Store, integration: string): Promise<void> {
  await receipts(store).deleteMany({ _id: { $gt: `${integration}/`, $lt: `${integration}0` } }); // `0` follows `/`
}
