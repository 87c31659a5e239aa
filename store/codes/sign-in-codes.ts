import { msNow, timeNow } from '../../domain/time/elapsed';
import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';
import type { Store } from '../store';
import type { FarmerSession } from '../sessions/farmer-sessions';
import { seal, unseal } from '../secrets/seal';
import { farmerOf } from '../consent/subscriptions';
import { isFirst } from '../unavailable';

/** The one code that a session waits for at one phone. A newer one to the same phone replaces it. */
interface SignInCode {
  /** Session, purpose and phone: a code opens no other session, and does not affect codes for other phones. */
  _id: string;
  /** `farmerOf` the phone it was sent to. */
  farmer: string;
  code_hash: Buffer;
  /** Eight while too many wrong codes are entered, else six. */
  digits: 6 | 8;
  /** A browser has asked for it in which one was entered before, so it is not counted among those that nobody enters. */
  known?: boolean;
  /** Hashes of the codes before it, newest first: their texts may still be read. They open nothing. */
  replaced?: Buffer[];
  /** Counted before the code is compared. */
  tries: number;
  sent_at: Date;
  expires_at: Date;
  via: CodeWay;
  state: CodeState;
  /** The code itself, sealed, where it is shown on the page instead of being sent. */
  shown?: Buffer;
}

export type CodeWay = 'text' | 'call';
type CodeState = 'sending' | 'sent' | 'failed';

const VALID_MS = 10 * 60_000;
const MAX_TRIES = 5;
// More codes than a phone gets while one of them is valid.
const MOST_REPLACED = 5;
/** The wait before another code can be requested. */
export const RESEND_AFTER_MS = 30_000;

export const sentCodes = (store: Store) => store.db.collection<SignInCode>('sign_in_codes');

export const signInCodeIndexes = [{ name: 'expiry', key: { expires_at: 1 }, expireAfterSeconds: 0 }];

/** A code that is asked for once the phone is proven is for a copy, as its text says. */
export const isForCopy = ({ verified }: FarmerSession) => verified;

/** What a code is for, as its text says: a customer's link, "who sees my grain data", or a copy. */
const purposeOf = (session: FarmerSession) => (isForCopy(session) ? '/copy' : (session.link?.channel ?? ''));

const idOf = (session: FarmerSession, farmer: string) => `${session._id}/${purposeOf(session)}/${farmer}`;

/**
 * Makes a new code and never resends an earlier one. It is valid for ten minutes and five tries. Only its hash is stored, and the
 * sealed code where the page shows it. Whoever types an earlier code is told so (`isReplaced`).
 * @returns a new code, or undefined when one was just sent to this phone: a double tap sends one text
 */
export async function newSignInCode(
  store: Store,
  session: FarmerSession,
  phone: string,
  {
    via,
    shown,
    digits,
    known = false,
  }: { via: CodeWay; shown: boolean; digits: SignInCode['digits']; known?: boolean },
): Promise<NewCode | undefined> {
  const code = String(randomInt(10 ** digits)).padStart(digits, '0');
  const [farmer, now] = [farmerOf(store, phone), msNow()];
  const _id = idOf(session, farmer);
  const code_hash = hashOf(store, _id, code);
  const before = await sentCodes(store).findOne({ _id });
  const replaced = before ? [before.code_hash, ...(before.replaced ?? [])].slice(0, MOST_REPLACED) : [];
  const fresh: Omit<SignInCode, '_id' | 'shown'> = {
    farmer,
    code_hash,
    digits,
    known,
    replaced,
    tries: 0,
    sent_at: new Date(now),
    expires_at: new Date(now + VALID_MS),
    via,
    state: 'sending',
  };
  const mayBeSent = [{ sent_at: { $lte: new Date(now - RESEND_AFTER_MS) } }, { state: 'failed' as const }];
  const made = sentCodes(store).updateOne(
    { _id, $or: mayBeSent },
    shown ? { $set: { ...fresh, shown: seal(store, _id, code) } } : { $set: fresh, $unset: { shown: 1 } },
    { upsert: true },
  );
  return (await isFirst(made)) ? { code, sent: { _id, code_hash } } : undefined;
}

/** Finds the code that a message carries, and not a newer one that has replaced it. */
type SentCode = Pick<SignInCode, '_id' | 'code_hash'>;

export interface NewCode {
  code: string;
  sent: SentCode;
}

/** Records whether the provider has accepted the message. A failure invalidates the code. */
export async function noteSending(store: Store, sent: SentCode, state: CodeState): Promise<void> {
  await sentCodes(store).updateOne(sent, { $set: { state } });
}

export async function findSignInCode(
  store: Store,
  session: FarmerSession,
  phone: string,
): Promise<SignInCode | null> {
  return sentCodes(store).findOne({ _id: idOf(session, farmerOf(store, phone)) });
}

/**
 * Counts a try, so that concurrent ones get no more than five comparisons.
 * @returns null when there is no code, it is too old or was tried too often
 */
export async function takeTry(
  store: Store,
  session: FarmerSession,
  phone: string,
): Promise<(SentCode & Pick<SignInCode, 'digits' | 'known'>) | null> {
  return sentCodes(store).findOneAndUpdate(
    liveCode(store, session, phone),
    { $inc: { tries: 1 } },
    { returnDocument: 'after', projection: { code_hash: 1, digits: 1, known: 1 } },
  );
}

/**
 * Whether a newer code has replaced this one. Asking costs no try: it opens nothing and only tells which codes no longer
 * count.
 */
export async function isReplaced(
  store: Store,
  session: FarmerSession,
  phone: string,
  code: string,
): Promise<boolean> {
  const found = await sentCodes(store).findOne(liveCode(store, session, phone));
  if (!found) return false;
  const hash = hashOf(store, found._id, code);
  const isSame = (other: Buffer) => timingSafeEqual(other, hash);
  return !isSame(found.code_hash) && (found.replaced ?? []).some(isSame);
}

/** Compares the code of a counted try. `over`: another try has used it, or a newer code has replaced it. */
export async function useTry(
  store: Store,
  { _id, code_hash }: SentCode,
  code: string,
): Promise<'right' | 'wrong' | 'over'> {
  if (!timingSafeEqual(code_hash, hashOf(store, _id, code))) return 'wrong';
  // A code works once: only one of two concurrent right tries deletes it.
  const used = await sentCodes(store).deleteOne({ _id, code_hash });
  return used.deletedCount === 1 ? 'right' : 'over';
}

/** Whether the last code of this session to this phone is still valid. */
export async function hasLiveCode(store: Store, session: FarmerSession, phone: string): Promise<boolean> {
  return (await sentCodes(store).countDocuments(liveCode(store, session, phone), { limit: 1 })) === 1;
}

/** A filter for the code while it can be tried. */
const liveCode = (store: Store, session: FarmerSession, phone: string) => ({
  _id: idOf(session, farmerOf(store, phone)),
  expires_at: { $gt: timeNow() },
  tries: { $lt: MAX_TRIES },
  state: { $ne: 'failed' as const },
});

/** The code where the page shows it, outside production. */
export function shownCode(store: Store, code: SignInCode): string | undefined {
  return code.shown && unseal(store, code._id, code.shown);
}

// Keyed: six digits could be found by hashing them all.
function hashOf(store: Store, id: string, code: string): Buffer {
  return createHmac('sha256', store.hashKey)
    .update(JSON.stringify(['code', id, code]))
    .digest();
}
