import { isYounger, msNow, timeNow } from '../../domain/time/elapsed';
import { randomBytes } from 'node:crypto';
import type { Language } from '../../domain/text/language';
import type { Store } from '../store';
import { seal, unseal } from '../secrets/seal';
import { hashToken } from '../callers/tokens';

/**
 * What the customer's link contained (docs/contract.md F1); `partner_id` and `channel` are part of every key from
 * here on.
 */
export interface FarmerLink {
  channel: string;
  partner_id: string;
  display_name: string;
  callback_url: string;
  /** The customer has signed it, so that it is for the phone in it and no other (docs/decisions/0020). */
  signed: boolean;
}

/**
 * One farmer's session. It ends 30 minutes after their last request and at the latest 8 hours after it was opened. While no code
 * was entered, it ends one hour after it was opened or its phone was last changed (docs/contract.md F14).
 */
export interface FarmerSession {
  /** The hash of what the cookie holds. */
  _id: string;
  expires_at: Date;
  opened_at: Date;
  /** When it ends whatever happens. */
  ends_at: Date;
  /** Null where the farmer came by no customer's link, to see who gets their data. */
  link: FarmerLink | null;
  language: Language;
  /** The CSRF token of every form. */
  csrf: string;
  /** Sealed. */
  phone: Buffer;
  /** Whether a code sent to that phone was entered. */
  verified: boolean;
  /** What was typed as the phone and was none, sealed; null where there is no such thing. */
  typed: Buffer | null;
  search: string;
  /** The accounts that were shown; only these can be chosen or refused. */
  seen: string[];
  /** Null until the farmer has chosen; then the shared accounts are ticked. */
  ticked: string[] | null;
  /** The last day as it was entered, '' for none; null until the farmer has chosen, then as it is shared. */
  ends_on: string | null;
  /** Whether the earlier records are shared too; null until the farmer has chosen, then as it is shared. */
  earlier: boolean | null;
  /** The check page that may be saved, once, and a digest of its content. */
  check: { form: string; says: string } | null;
  /** The save in progress. */
  saving: { form: string; at: Date } | null;
  /** The save whose page is shown; null again once something else is chosen. */
  saved: SavedChoices | null;
  /** How the last save of this visit ended: it stands, whatever is chosen after it. */
  last_saved: SavedChoices['status'] | null;
  /** What the farmer has just stopped on "who sees my grain data". */
  stopped: Stopped | null;
  /** The customer of whose records the farmer wants a copy, and when the code for it was entered. */
  copy: { channel: string; proven_at: Date | null } | null;
  /** The codes that were entered in the browser's other visit (`verifySession`). */
  codes_beside?: number;
}

export type LinkedSession = FarmerSession & { link: FarmerLink };

export interface Stopped {
  /** The name of the account, where it was only one and others may go on. */
  account?: string;
  customers: string[];
  references: string[];
}

export interface SavedChoices {
  form: string;
  status: 'saved' | 'unchanged';
  reference: string | null;
  /** Whether a grant has begun by it, or was given its earlier records. */
  begun: boolean;
  /** The names of accounts that are shared no longer, the first of them. */
  stopped: string[];
  /** How many others there are. */
  stopped_others: number;
}

type SessionChanges = Partial<
  Omit<
    FarmerSession,
    '_id' | 'expires_at' | 'opened_at' | 'ends_at' | 'link' | 'csrf' | 'phone' | 'verified' | 'codes_beside'
  >
>;

const MINUTES = 60_000;
const IDLE_MS = 30 * MINUTES;
// A browser follows the redirect of the link within seconds; many programs that open links do not.
const FIRST_PAGE_MS = 5 * MINUTES;
/** `verified` counts from the opening; `unverified` from the opening or the last change of the phone. */
export const LONGEST_MS = { verified: 8 * 60 * MINUTES, unverified: 60 * MINUTES };
// A save without progress for this long has died with its process.
const MAX_SAVE_MS = 60_000;

export const farmerSessions = (store: Store) => store.db.collection<FarmerSession>('sessions');

export const farmerSessionIndexes = [{ name: 'expiry', key: { expires_at: 1 }, expireAfterSeconds: 0 }];

/** @returns the cookie's value: 256 random bits, stored only as a hash */
export async function openFarmerSession(
  store: Store,
  visit: { link: FarmerLink | null; language: Language; phone: string },
): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  const id = hashToken(token);
  const now = msNow();
  await farmerSessions(store).insertOne({
    _id: id,
    expires_at: new Date(now + FIRST_PAGE_MS),
    opened_at: new Date(now),
    ends_at: new Date(now + LONGEST_MS.unverified),
    link: visit.link,
    language: visit.language,
    csrf: randomBytes(32).toString('base64url'),
    phone: seal(store, id, visit.phone),
    ...NOTHING_DONE,
  });
  return token;
}

/** Which pages a visit is to: those behind one customer's link, or "who sees my grain data". */
export type Visit = 'link' | 'sharing';

export const visitOf = ({ link }: FarmerSession): Visit => (link ? 'link' : 'sharing');

/**
 * The session, extended by 30 minutes; null when there is none or it has ended. A visit to the other pages counts as none:
 * the text of its code has named those alone (docs/contract.md F20).
 */
export async function findFarmerSession(
  store: Store,
  token: string,
  visit: Visit,
): Promise<FarmerSession | null> {
  const now = timeNow();
  const link = visit === 'link' ? { $ne: null } : null;
  return farmerSessions(store).findOneAndUpdate(
    { _id: hashToken(token), link, expires_at: { $gt: now }, ends_at: { $gt: now } },
    { $set: { expires_at: new Date(now.getTime() + IDLE_MS) } },
    { returnDocument: 'after' },
  );
}

/** The session has changed since it was read: it has ended or has another phone. */
export class SessionMoved extends Error {
  override name = 'SessionMoved';
}

// Another phone has other sealed bytes, and so has the same phone that was set again.
const asRead = ({ _id, phone }: FarmerSession) => ({ _id, phone });

/**
 * Changes the session only while it has the phone that it was read with: what that phone has verified or chosen
 * counts for no other.
 * @throws SessionMoved
 */
export async function changeSession<S extends FarmerSession>(
  store: Store,
  session: S,
  changes: SessionChanges,
): Promise<S> {
  const { matchedCount } = await farmerSessions(store).updateOne(asRead(session), { $set: changes });
  if (matchedCount === 0) throw new SessionMoved();
  return { ...session, ...changes };
}

/**
 * Sets another phone and discards everything that was verified or chosen with the previous one. A second tap finds its
 * phone set.
 * @throws SessionMoved
 */
export async function changePhone(
  store: Store,
  session: FarmerSession,
  phone: string,
): Promise<FarmerSession> {
  const now = msNow();
  const ends = Math.min(session.opened_at.getTime() + LONGEST_MS.verified, now + LONGEST_MS.unverified);
  const sealed = seal(store, session._id, phone);
  const changes = { phone: sealed, ends_at: new Date(ends), ...NOTHING_DONE };
  const set = await farmerSessions(store).updateOne(asRead(session), { $set: changes });
  if (set.matchedCount === 1) return { ...session, ...changes };
  const setBefore = await farmerSessions(store).findOne({ _id: session._id, phone: { $exists: true } });
  if (!setBefore || phoneOf(store, setBefore) !== phone) throw new SessionMoved();
  return setBefore;
}

export function phoneOf(store: Store, session: FarmerSession): string {
  return unseal(store, session._id, session.phone);
}

/** Keeps what was typed as the phone and was none, for the page that says so. @throws SessionMoved */
export const keepTyped = <S extends FarmerSession>(store: Store, session: S, typed: string): Promise<S> =>
  changeSession(store, session, { typed: seal(store, session._id, typed) });

/** What was typed last as the phone, or the phone of the session. */
export const typedPhone = (store: Store, { _id, typed }: FarmerSession): string | undefined =>
  typed ? unseal(store, _id, typed) : undefined;

/**
 * Replaces the check page that was read.
 * @returns false when that page is gone: it is being saved or was replaced
 */
export async function replaceCheck(
  store: Store,
  session: FarmerSession,
  check: NonNullable<FarmerSession['check']>,
): Promise<boolean> {
  const asRead = { _id: session._id, 'check.form': session.check!.form };
  const { matchedCount } = await farmerSessions(store).updateOne(asRead, { $set: { check } });
  return matchedCount === 1;
}

/** Claims the right to save a check page. Only one of several taps gets it. */
export async function claimCheck(store: Store, session: FarmerSession, form: string): Promise<boolean> {
  const claimed = await farmerSessions(store).updateOne(
    { _id: session._id, verified: true, 'check.form': form },
    { $set: { check: null, saved: null, saving: { form, at: timeNow() } } },
  );
  return claimed.modifiedCount === 1;
}

/** Ends the save. Concurrent changes by the farmer win. */
export async function endSave(store: Store, session: FarmerSession, saved: SavedChoices): Promise<void> {
  await farmerSessions(store).updateOne(
    { _id: session._id, 'saving.form': saved.form },
    { $set: { saved, last_saved: saved.status, saving: null, ticked: null, ends_on: null, earlier: null } },
  );
}

/** Whether a save is in progress and alive. */
export const isSaving = ({ saved, saving }: FarmerSession) =>
  !saved && saving !== null && isYounger(saving.at, MAX_SAVE_MS);

/** Marks the save as still in progress. What it has changed so far stands even if it never ends. */
export async function goOnSaving(store: Store, session: FarmerSession, changed: number): Promise<void> {
  await farmerSessions(store).updateOne(
    { _id: session._id, saving: { $ne: null } },
    { $set: { 'saving.at': timeNow(), ...(changed > 0 && { last_saved: 'saved' }) } },
  );
}

export const NOTHING_DONE = {
  verified: false,
  typed: null,
  search: '',
  seen: [],
  ticked: null,
  ends_on: null,
  earlier: null,
  check: null,
  saving: null,
  saved: null,
  last_saved: null,
  stopped: null,
  copy: null,
};
