import { timeIn, timeNow } from '../../domain/time/elapsed';
import { createHmac, randomBytes } from 'node:crypto';
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
import { afterFirstTap } from './after-first-tap';
import { seal } from '../secrets/seal';
import { hashToken } from '../callers/tokens';
import { farmerIdOf } from '../consent/farmers';

/**
 * What is left of a session that was exchanged or left, so that a second tap leads where the first one did. It opens
 * nothing, as it has no `ends_at`.
 */
interface EndedSession {
  _id: string;
  expires_at: Date;
  /** The customer's address; null where the session has another id now. */
  leads_to: string | null;
  /** Guesses at the code that leads to the new id. */
  tries: number;
}

const SECOND_TAP_MS = 60_000;
const MAX_SECOND_TAPS = 3;

const ended = (store: Store) => store.db.collection<EndedSession>('sessions');

/**
 * Gives the session of a phone that was proven another id and another CSRF token: whoever knew the old ones, having
 * planted the cookie, has nothing (docs/contract.md F14). The old id is dead before the new one opens anything. Nothing but a right
 * code makes a farmer known: the pages of a visit bring nobody back who was erased meanwhile.
 * @returns the cookie's new value. It follows from the old id and the code, so that two taps get the same one.
 * @throws SessionMoved
 */
export async function verifySession(store: Store, session: FarmerSession, code: string): Promise<string> {
  const token = tokenAfter(store, session._id, code);
  const id = hashToken(token);
  const phone = phoneOf(store, session);
  if (!(await replace(store, { _id: session._id, phone: session.phone }, null))) throw new SessionMoved();
  if (session.link) await farmerIdOf(store, phone);
  await farmerSessions(store).insertOne({
    ...session,
    _id: id,
    ends_at: new Date(session.opened_at.getTime() + LONGEST_MS.verified),
    csrf: randomBytes(32).toString('base64url'),
    phone: seal(store, id, phone),
    ...NOTHING_DONE,
    verified: true,
  });
  return token;
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
  // Between the end of the old id and the new one there is a moment in which neither opens anything.
  return afterFirstTap(async () => ((await findFarmerSession(store, token, visit)) ? token : undefined));
}

/** Ends the session for good. @param leads_to where a second tap on the way out leads for another minute */
export async function endSession(
  store: Store,
  { _id }: FarmerSession,
  leads_to: string | null,
): Promise<void> {
  await replace(store, { _id }, leads_to);
}

async function replace(
  store: Store,
  session: Pick<FarmerSession, '_id'> & Partial<FarmerSession>,
  leads_to: string | null,
): Promise<boolean> {
  const left = { expires_at: timeIn(SECOND_TAP_MS), leads_to, tries: 0 };
  return (await ended(store).replaceOne(session, left)).matchedCount === 1;
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
