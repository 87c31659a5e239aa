import { randomBytes } from 'node:crypto';
import type { Language } from '../domain/language';
import type { Store } from './connect';
import { seal, unseal } from './seal';
import { hashToken } from './tokens';

/** What the farmer came with; `partner_id` and `channel` are part of every key from here on (farmer page). */
export interface FarmerLink {
  channel: string;
  partner_id: string;
  display_name: string;
  callback_url: string;
}

/** One visit of one farmer. It ends 30 minutes after the last thing he did. */
export interface FarmerSession {
  /** The hash of what the cookie holds. */
  _id: string;
  expires_at: Date;
  link: FarmerLink;
  language: Language;
  /** What a form must bring along to count (CSRF). */
  csrf: string;
  /** Sealed. */
  phone: Buffer;
  /** Whether a code sent to that phone has come back. */
  verified: boolean;
  search: string;
  /** The accounts that were shown: only these can be chosen or declined. */
  seen: string[];
  /** Null until the farmer has chosen: what is shared already is ticked. */
  ticked: string[] | null;
  /** The check page that may be saved, once, and a digest of what it says. */
  check: { form: string; says: string } | null;
  /** The save under way. */
  saving: { form: string; at: Date } | null;
  saved: SavedChoices | null;
}

export interface SavedChoices {
  form: string;
  status: 'saved' | 'unchanged';
  reference: string | null;
}

export type SessionChanges = Partial<Omit<FarmerSession, '_id' | 'expires_at' | 'link' | 'csrf' | 'phone'>>;

const IDLE_MS = 30 * 60_000;
// A save that has not gone on by then never will: its process was killed.
const LONGEST_SAVE_MS = 60_000;

const sessions = (store: Store) => store.db.collection<FarmerSession>('sessions');

export const farmerSessionIndexes = [{ name: 'expiry', key: { expires_at: 1 }, expireAfterSeconds: 0 }];

/** @returns what the cookie is to hold: 256 random bits, stored only as their hash. */
export async function openFarmerSession(
  store: Store,
  visit: { link: FarmerLink; language: Language; phone: string },
): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  const id = hashToken(token);
  await sessions(store).insertOne({
    _id: id,
    expires_at: idleEnd(),
    link: visit.link,
    language: visit.language,
    csrf: randomBytes(32).toString('base64url'),
    phone: seal(store, id, visit.phone),
    ...NOTHING_DONE,
  });
  return token;
}

/** The session, alive for another 30 minutes; null when there is none or it has ended. */
export async function findFarmerSession(store: Store, token: string): Promise<FarmerSession | null> {
  return sessions(store).findOneAndUpdate(
    { _id: hashToken(token), expires_at: { $gt: new Date() } },
    { $set: { expires_at: idleEnd() } },
    { returnDocument: 'after' },
  );
}

/** What was read of a session holds no longer: it has ended, or it has another phone by now. */
export class SessionMoved extends Error {
  override name = 'SessionMoved';
}

/**
 * Only while the session has the phone it was read with: what that one has proven or chosen counts for no other.
 * @throws SessionMoved
 */
export async function changeSession(
  store: Store,
  session: FarmerSession,
  changes: SessionChanges,
): Promise<FarmerSession> {
  const asRead = { _id: session._id, phone: session.phone };
  const { matchedCount } = await sessions(store).updateOne(asRead, { $set: changes });
  if (matchedCount === 0) throw new SessionMoved();
  return { ...session, ...changes };
}

/** Another phone: nothing that the one before has proven or chosen counts any longer. */
export async function changePhone(
  store: Store,
  session: FarmerSession,
  phone: string,
): Promise<FarmerSession> {
  const changes = { phone: seal(store, session._id, phone), ...NOTHING_DONE };
  await sessions(store).updateOne({ _id: session._id }, { $set: changes });
  return { ...session, ...changes };
}

export function phoneOf(store: Store, session: FarmerSession): string {
  return unseal(store, session._id, session.phone);
}

/**
 * Another check page in place of the one that was read.
 * @returns false when that one is there no more: it is being saved, or has been replaced already
 */
export async function replaceCheck(
  store: Store,
  session: FarmerSession,
  check: NonNullable<FarmerSession['check']>,
): Promise<boolean> {
  const asRead = { _id: session._id, 'check.form': session.check!.form };
  const { matchedCount } = await sessions(store).updateOne(asRead, { $set: { check } });
  return matchedCount === 1;
}

/** Takes the right to save a check page. Only one of any number of taps gets it. */
export async function claimCheck(store: Store, session: FarmerSession, form: string): Promise<boolean> {
  const claimed = await sessions(store).updateOne(
    { _id: session._id, verified: true, 'check.form': form },
    { $set: { check: null, saved: null, saving: { form, at: new Date() } } },
  );
  return claimed.modifiedCount === 1;
}

/** The save has come to its end. If the farmer went on meanwhile, what he chose since stands. */
export async function endSave(store: Store, session: FarmerSession, saved: SavedChoices): Promise<void> {
  await sessions(store).updateOne(
    { _id: session._id, 'saving.form': saved.form },
    { $set: { saved, saving: null, ticked: null } },
  );
}

/** Whether a save is under way, and alive. */
export const isSaving = ({ saved, saving }: FarmerSession) =>
  !saved && saving !== null && Date.now() - saving.at.getTime() < LONGEST_SAVE_MS;

/** The save is under way still. */
export async function goOnSaving(store: Store, session: FarmerSession): Promise<void> {
  await sessions(store).updateOne(
    { _id: session._id, saving: { $ne: null } },
    { $set: { 'saving.at': new Date() } },
  );
}

const NOTHING_DONE = {
  verified: false,
  search: '',
  seen: [],
  ticked: null,
  check: null,
  saving: null,
  saved: null,
};

const idleEnd = () => new Date(Date.now() + IDLE_MS);
