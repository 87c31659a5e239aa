import { timeIn, timeNow } from '../../domain/time/elapsed';
import { createHmac, randomBytes } from 'node:crypto';
import type { ClientSession } from 'mongodb';
import type { Store } from '../store';
import {
  farmerSessions,
  findFarmerSession,
  LONGEST_MS,
  NOTHING_DONE,
  phoneOf,
  SessionMoved,
  type FarmerSession,
  type Visit,
} from './farmer-sessions';
import { seal } from '../secrets/seal';
import { hashToken } from '../callers/tokens';
import { knownFarmer } from '../consent/farmers';
import { inTransaction } from '../transact';

/**
 * What is left of a session that was exchanged or left, so that a second tap leads where the first one did. It opens
 * nothing, as it has no `ends_at`.
 */
interface EndedSession {
  _id: string;
  expires_at: Date;
  /** The customer's address; null where the farmer has not left for it. */
  leads_to: string | null;
  /** The id that the session has now; null where it has ended for good. */
  moved_to: string | null;
  /** Guesses at the code that leads to the new id. */
  tries: number;
}

const SECOND_TAP_MS = 60_000;
const MAX_SECOND_TAPS = 3;

const ended = (store: Store) => store.db.collection<EndedSession>('sessions');

/**
 * Gives the session of a phone that was proven another id and another CSRF token: whoever knew the old ones, having
 * planted the cookie, has nothing (docs/contract.md F14). Nothing but a right code makes a farmer known. All is one transaction: an
 * erasure ends the session before it, or finds what it has made; and of two codes in one browser one comes after the other.
 * @param beside the cookie's value of the browser's other visit, which ends where another phone is proven in it
 * @returns the cookie's new value. It follows from the old id and the code, so that two taps get the same one.
 * @throws SessionMoved
 */
export async function verifySession(
  store: Store,
  session: FarmerSession,
  code: string,
  beside?: string,
): Promise<string> {
  const token = tokenAfter(store, session._id, code);
  const id = hashToken(token);
  const phone = phoneOf(store, session);
  const csrf = randomBytes(32).toString('base64url');
  await inTransaction(store, async (within) => {
    const old = { _id: session._id, phone: session.phone };
    if (!(await replace(store, old, { moved_to: id }, within))) throw new SessionMoved();
    if (beside !== undefined) await endVisitOfAnother(store, hashToken(beside), phone, within);
    if (session.link) await knownFarmer(store, phone, within);
    const verified = {
      ...session,
      _id: id,
      ends_at: new Date(session.opened_at.getTime() + LONGEST_MS.verified),
      csrf,
      phone: seal(store, id, phone),
      ...NOTHING_DONE,
      verified: true,
    };
    await farmerSessions(store).insertOne(verified, { session: within });
  });
  return token;
}

/**
 * The next farmer would see what the first one shares. A visit that stays is written as well: a code that is entered in it at the same
 * moment comes after this one then, and finds this visit under its new id.
 */
async function endVisitOfAnother(
  store: Store,
  known: string,
  phone: string,
  within: ClientSession,
): Promise<void> {
  const moved = await ended(store).findOne({ _id: known }, { session: within });
  const other = await farmerSessions(store).findOneAndUpdate(
    { _id: moved?.moved_to ?? known, phone: { $exists: true } },
    { $inc: { codes_beside: 1 } },
    { session: within },
  );
  if (other?.verified && phoneOf(store, other) !== phone)
    await replace(store, { _id: other._id }, {}, within);
}

/**
 * The cookie of the session that a code has opened, for another tap under the old id within a minute. Wrong codes are
 * counted before they are compared.
 */
export async function tokenOfSecondTap(
  store: Store,
  oldToken: string,
  visit: Visit,
  code: string,
): Promise<string | undefined> {
  const _id = hashToken(oldToken);
  const alive = { _id, leads_to: null, expires_at: { $gt: timeNow() }, tries: { $lt: MAX_SECOND_TAPS } };
  const counted = await ended(store).updateOne(alive, { $inc: { tries: 1 } });
  if (counted.matchedCount === 0) return undefined;
  const token = tokenAfter(store, _id, code);
  return (await findFarmerSession(store, token, visit)) ? token : undefined;
}

/** Ends the session for good. @param leads_to where a second tap on the way out leads for another minute */
export async function endSession(
  store: Store,
  { _id }: FarmerSession,
  leads_to: string | null,
): Promise<void> {
  await replace(store, { _id }, { leads_to });
}

async function replace(
  store: Store,
  session: Pick<FarmerSession, '_id'> & Partial<FarmerSession>,
  to: Partial<Pick<EndedSession, 'leads_to' | 'moved_to'>>,
  within?: ClientSession,
): Promise<boolean> {
  const left = { expires_at: timeIn(SECOND_TAP_MS), leads_to: null, moved_to: null, ...to, tries: 0 };
  const options = { ...(within && { session: within }) };
  return (await ended(store).replaceOne(session, left, options)).matchedCount === 1;
}

/** Where the way out of a session that has just ended leads. */
export async function wayOutOf(store: Store, token: string): Promise<string | undefined> {
  const left = await ended(store).findOne({ _id: hashToken(token), expires_at: { $gt: timeNow() } });
  return left?.leads_to ?? undefined;
}

/** Forgets every way out, as each names a partner_id: second taps of the last minute lead nowhere. */
export async function forgetWaysOut(store: Store): Promise<void> {
  await ended(store).deleteMany({ leads_to: { $gt: '' } });
}

/** Keyed: who knows the old id and the code, but not the key, cannot compute it. */
function tokenAfter(store: Store, id: string, code: string): string {
  return createHmac('sha256', store.hashKey)
    .update(JSON.stringify(['session', id, code]))
    .digest('base64url');
}
