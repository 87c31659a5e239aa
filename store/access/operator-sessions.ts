import type { Store } from '../store';
import { findOperatorById, type Operator } from './operators';
import { type PageSession, pageSessions } from './page-sessions';

const sessions = pageSessions<{ operator: string }>('operator_sessions');

/** @returns the cookie's value */
export const openOperatorSession = (store: Store, { _id }: Operator): Promise<string> =>
  sessions.open(store, { operator: _id });

/** An operator's session and the operator; null when there is none, it has ended or the operator was removed. */
export async function findOperatorSession(
  store: Store,
  token: string,
): Promise<{ session: PageSession; operator: Operator } | null> {
  const session = await sessions.find(store, token);
  const operator = session && (await findOperatorById(store, session.operator));
  return operator && { session, operator };
}

export const closeOperatorSession = sessions.close;
