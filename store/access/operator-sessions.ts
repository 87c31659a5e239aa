import { randomBytes } from 'node:crypto';
import type { Store } from '../store';
import { findOperatorById, type Operator } from './operators';
import { hashToken } from './tokens';

/**
 * An operator's session. It ends 30 minutes after its last page, 8 hours after it was opened, on signing out or when the
 * operator is removed (docs/contract.md O18).
 */
export interface OperatorSession {
  /** The hash of what the cookie holds. */
  _id: string;
  operator: string;
  /** The CSRF token of every form. */
  csrf: string;
  expires_at: Date;
  /** When it ends whatever happens. */
  ends_at: Date;
}

export const OPERATOR_SESSION_MS = { idle: 30 * 60_000, longest: 8 * 3_600_000 };

const sessions = (store: Store) => store.db.collection<OperatorSession>('operator_sessions');

export const operatorSessionIndexes = [{ name: 'expiry', key: { expires_at: 1 }, expireAfterSeconds: 0 }];

/** @returns the cookie's value: 256 random bits, stored only as a hash */
export async function openOperatorSession(store: Store, operator: Operator): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  const now = Date.now();
  await sessions(store).insertOne({
    _id: hashToken(token),
    operator: operator._id,
    csrf: randomBytes(32).toString('base64url'),
    expires_at: new Date(now + OPERATOR_SESSION_MS.idle),
    ends_at: new Date(now + OPERATOR_SESSION_MS.longest),
  });
  return token;
}

/** The session, extended by 30 minutes, and its operator; null when there is none, it has ended or the operator was removed. */
export async function findOperatorSession(
  store: Store,
  token: string,
): Promise<{ session: OperatorSession; operator: Operator } | null> {
  const now = new Date();
  const session = await sessions(store).findOneAndUpdate(
    { _id: hashToken(token), expires_at: { $gt: now }, ends_at: { $gt: now } },
    { $set: { expires_at: new Date(now.getTime() + OPERATOR_SESSION_MS.idle) } },
    { returnDocument: 'after' },
  );
  const operator = session && (await findOperatorById(store, session.operator));
  return operator && { session, operator };
}

export async function closeOperatorSession(store: Store, { _id }: OperatorSession): Promise<void> {
  await sessions(store).deleteOne({ _id });
}
