import { randomBytes } from 'node:crypto';
import type { Store } from './connect';
import { findOperator, type Operator } from './operators';
import { hashToken } from './tokens';

/** An operator's signing in: it ends after twelve hours, when he signs out, or when he is removed. */
export interface OperatorSession {
  /** The hash of what the cookie holds. */
  _id: string;
  operator: string;
  /** What a form must bring along to count (CSRF). */
  csrf: string;
  expires_at: Date;
}

export const OPERATOR_SESSION_MS = 12 * 3_600_000;

const sessions = (store: Store) => store.db.collection<OperatorSession>('operator_sessions');

export const operatorSessionIndexes = [{ name: 'expiry', key: { expires_at: 1 }, expireAfterSeconds: 0 }];

/** @returns what the cookie is to hold: 256 random bits, stored only as their hash. */
export async function openOperatorSession(store: Store, operator: Operator): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await sessions(store).insertOne({
    _id: hashToken(token),
    operator: operator._id,
    csrf: randomBytes(32).toString('base64url'),
    expires_at: new Date(Date.now() + OPERATOR_SESSION_MS),
  });
  return token;
}

/** The session and whose it is; null when there is none, it has ended, or he is an operator no more. */
export async function findOperatorSession(
  store: Store,
  token: string,
): Promise<{ session: OperatorSession; operator: Operator } | null> {
  const session = await sessions(store).findOne({ _id: hashToken(token), expires_at: { $gt: new Date() } });
  const operator = session && (await findOperator(store, session.operator));
  return operator && { session, operator };
}

export async function closeOperatorSession(store: Store, { _id }: OperatorSession): Promise<void> {
  await sessions(store).deleteOne({ _id });
}
