import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';
import type { Store } from './connect';
import type { FarmerSession } from './farmer-sessions';
import { seal, unseal } from './seal';
import { farmerOf } from './subscriptions';
import { isDuplicateKey } from './unavailable';

/** The one code that a session waits for. A newer one takes its place. */
export interface SignInCode {
  /** The session's id: a code opens no other session than the one it was asked for in. */
  _id: string;
  /** `farmerOf` the phone it was sent to. */
  farmer: string;
  code_hash: Buffer;
  /** Tries begun; counted before the code is compared. */
  tries: number;
  sent_at: Date;
  expires_at: Date;
  text: TextState;
  /** The code itself, sealed, where it is shown on the page instead of being sent. */
  shown?: Buffer;
}

export type TextState = 'sending' | 'sent' | 'failed';

const VALID_MS = 10 * 60_000;
const MAX_TRIES = 5;
/** How long one has to wait before another code can be asked for. */
export const RESEND_AFTER_MS = 30_000;

const codes = (store: Store) => store.db.collection<SignInCode>('sign_in_codes');

export const signInCodeIndexes = [{ name: 'expiry', key: { expires_at: 1 }, expireAfterSeconds: 0 }];

/** @returns a new code, or undefined when one was sent to this phone a moment ago: a double tap sends one text. */
export async function newSignInCode(
  store: Store,
  session: FarmerSession,
  phone: string,
  options: { shown: boolean },
): Promise<string | undefined> {
  const code = String(randomInt(1_000_000)).padStart(6, '0');
  const [farmer, now] = [farmerOf(store, phone), Date.now()];
  const fresh: Omit<SignInCode, '_id' | 'shown'> = {
    farmer,
    code_hash: hashOf(store, session, farmer, code),
    tries: 0,
    sent_at: new Date(now),
    expires_at: new Date(now + VALID_MS),
    text: 'sending',
  };
  const mayBeSent = [
    { sent_at: { $lte: new Date(now - RESEND_AFTER_MS) } },
    { farmer: { $ne: farmer } },
    { text: 'failed' as const },
  ];
  try {
    await codes(store).updateOne(
      { _id: session._id, $or: mayBeSent },
      options.shown
        ? { $set: { ...fresh, shown: seal(store, session._id, code) } }
        : { $set: fresh, $unset: { shown: 1 } },
      { upsert: true },
    );
    return code;
  } catch (error) {
    if (isDuplicateKey(error)) return undefined;
    throw error;
  }
}

/** The provider has taken the text of this code; a newer one has its own. */
export async function noteSent(
  store: Store,
  session: FarmerSession,
  phone: string,
  code: string,
): Promise<void> {
  const code_hash = hashOf(store, session, farmerOf(store, phone), code);
  await codes(store).updateOne({ _id: session._id, code_hash }, { $set: { text: 'sent' } });
}

/** The text of this code has failed: it opens nothing any more. @returns whether it was tried before */
export async function noteFailed(
  store: Store,
  session: FarmerSession,
  phone: string,
  code: string,
): Promise<boolean> {
  const code_hash = hashOf(store, session, farmerOf(store, phone), code);
  const before = await codes(store).findOneAndUpdate(
    { _id: session._id, code_hash },
    { $set: { text: 'failed' } },
    { returnDocument: 'before' },
  );
  return before !== null && before.tries > 0;
}

export async function findSignInCode(store: Store, session: FarmerSession): Promise<SignInCode | null> {
  return codes(store).findOne({ _id: session._id });
}

/**
 * Tries a code: counted first, then compared, so that no number of tries at once gets more than five looks.
 * @returns `over` when there is none, it is too old or was tried too often
 */
export async function tryCode(
  store: Store,
  session: FarmerSession,
  phone: string,
  code: string,
): Promise<'right' | 'wrong' | 'over'> {
  const farmer = farmerOf(store, phone);
  const counted = await codes(store).findOneAndUpdate(
    { _id: session._id, farmer, ...canBeTried() },
    { $inc: { tries: 1 } },
    { returnDocument: 'after' },
  );
  if (!counted) return 'over';
  const { code_hash } = counted;
  if (!timingSafeEqual(code_hash, hashOf(store, session, farmer, code))) return 'wrong';
  // Works once: of two right ones at the same time one deletes it.
  const used = await codes(store).deleteOne({ _id: session._id, code_hash });
  return used.deletedCount === 1 ? 'right' : 'over';
}

/** Whether the code that was last asked for in this session can still open it. */
export async function hasLiveCode(store: Store, session: FarmerSession, phone: string): Promise<boolean> {
  const live = { _id: session._id, farmer: farmerOf(store, phone), ...canBeTried() };
  return (await codes(store).countDocuments(live, { limit: 1 })) === 1;
}

const canBeTried = () => ({
  expires_at: { $gt: new Date() },
  tries: { $lt: MAX_TRIES },
  text: { $ne: 'failed' as const },
});

/** The code as the page shows it outside production, if it does. */
export function shownCode(store: Store, code: SignInCode): string | undefined {
  return code.shown && unseal(store, code._id, code.shown);
}

// Six digits have no secret in them: without the key the hash could be reversed by trying them all.
function hashOf(store: Store, session: FarmerSession, farmer: string, code: string): Buffer {
  const text = JSON.stringify(['code', session._id, farmer, code]);
  return createHmac('sha256', store.hashKey).update(text).digest();
}
