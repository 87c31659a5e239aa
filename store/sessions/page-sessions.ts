import { msNow, timeNow } from '../../domain/time/elapsed';
import type { Filter, MatchKeysAndValues, OptionalUnlessRequiredId } from 'mongodb';
import { randomBytes } from 'node:crypto';
import { refusedBy } from '../../domain/settings/access';
import {
  findOperatorById,
  listOperators,
  type Operator,
  type OperatorRole,
  roleOf,
} from '../callers/operators';
import { HOUR_MS } from '../../domain/time/spans';
import { hashToken } from '../callers/tokens';
import { type Channel, channelKeys } from '../channels/channels';
import { seal, unseal } from '../secrets/seal';
import type { Store } from '../store';

/**
 * A session that a token opened. It ends 30 minutes after its last page, 8 hours after it was opened, on signing out or
 * when whoever it belongs to may no longer come in (docs/contract.md O18, C21).
 */
export interface PageSession {
  /** The hash of what the cookie holds. */
  _id: string;
  /** The CSRF token of every form. */
  csrf: string;
  expires_at: Date;
  /** When it ends whatever happens. */
  ends_at: Date;
  /** The page that answers the last form, sealed, until it is shown. */
  kept?: Buffer;
}

export const PAGE_SESSION_MS = { idle: 30 * 60_000, longest: 8 * 3_600_000 };

export const pageSessionIndexes = [{ name: 'expiry', key: { expires_at: 1 }, expireAfterSeconds: 0 }];

const openAt = (now: Date) => ({ expires_at: { $gt: now }, ends_at: { $gt: now } });

/** The sessions of one kind of people, each with what says whose it is. */
export function pageSessions<Whose extends object>(collection: string) {
  type Session = PageSession & Whose;
  const sessions = (store: Store) => store.db.collection<Session>(collection);
  return {
    /** @returns the cookie's value: 256 random bits, stored only as a hash */
    async open(store: Store, whose: Whose, longestMs = PAGE_SESSION_MS.longest): Promise<string> {
      const token = randomBytes(32).toString('base64url');
      const now = msNow();
      const session: Session = {
        _id: hashToken(token),
        ...whose,
        csrf: randomBytes(32).toString('base64url'),
        expires_at: new Date(now + PAGE_SESSION_MS.idle),
        ends_at: new Date(now + longestMs),
      };
      await sessions(store).insertOne(session as OptionalUnlessRequiredId<Session>);
      return token;
    },

    /** The session, extended by 30 minutes; null when there is none or it has ended. */
    async find(store: Store, token: string): Promise<Session | null> {
      const now = timeNow();
      const open = { _id: hashToken(token), ...openAt(now) };
      const expires_at = new Date(now.getTime() + PAGE_SESSION_MS.idle);
      return (await sessions(store).findOneAndUpdate(
        open as Filter<Session>,
        { $set: { expires_at } as MatchKeysAndValues<Session> },
        { returnDocument: 'after' },
      )) as Session | null;
    },

    /** Those that have not ended, the one with the newest page first. */
    async list(store: Store): Promise<Session[]> {
      const open = openAt(timeNow()) as Filter<Session>;
      return (await sessions(store).find(open).sort({ expires_at: -1 }).toArray()) as Session[];
    },

    async close(store: Store, { _id }: PageSession): Promise<void> {
      await sessions(store).deleteOne({ _id } as Filter<Session>);
    },

    /** Keeps the page that answers a form, for the request that shows it. */
    async keep(store: Store, { _id }: PageSession, page: string): Promise<void> {
      const kept = seal(store, _id, page);
      await sessions(store).updateOne({ _id } as Filter<Session>, {
        $set: { kept } as MatchKeysAndValues<Session>,
      });
    },

    /** The page that was kept, once. */
    async take(store: Store, { _id }: PageSession): Promise<string | undefined> {
      const open = store.db.collection<PageSession>(collection);
      const session = await open.findOneAndUpdate({ _id }, { $unset: { kept: 1 } });
      return session?.kept && unseal(store, _id, session.kept);
    },
  };
}

/** Somebody whom the provider of sign-ins has named. */
interface Named {
  name: string;
  role: OperatorRole;
}

export const operatorSessions = pageSessions<{ operator: string } | { named: Named }>('operator_sessions');

// Shorter, as the service does not learn that somebody has left a group at the provider until they sign in again.
const NAMED_SESSION_MS = HOUR_MS;

/** @returns the cookie's value */
export const openOperatorSession = (store: Store, { _id }: Operator): Promise<string> =>
  operatorSessions.open(store, { operator: _id });

/** @returns the cookie's value */
export const openNamedSession = (store: Store, named: Named): Promise<string> =>
  operatorSessions.open(store, { named }, NAMED_SESSION_MS);

/** An operator's session and the operator; null when there is none, it has ended or their token opens nothing from here. */
export async function findOperatorSession(
  store: Store,
  token: string,
  ip: string,
): Promise<{ session: PageSession; operator: Named } | null> {
  const session = await operatorSessions.find(store, token);
  if (session && 'named' in session) return { session, operator: session.named };
  const operator = session && (await findOperatorById(store, session.operator));
  if (!operator || refusedBy(operator.access, ip, timeNow())) return null;
  return { session, operator };
}

/** Somebody who is signed in to `/ops`. */
export interface OpenSession extends Named {
  session: PageSession;
  by: 'token' | 'provider';
}

/** Everybody who is signed in to `/ops`, once for each browser. */
export async function listOpenSessions(store: Store): Promise<OpenSession[]> {
  const byId = new Map((await listOperators(store)).map((one) => [one._id, one]));
  return (await operatorSessions.list(store)).flatMap((session): OpenSession[] => {
    if ('named' in session) return [{ ...session.named, session, by: 'provider' }];
    const one = byId.get(session.operator);
    return one ? [{ name: one.name, role: roleOf(one), session, by: 'token' }] : [];
  });
}

/** Bound to the key that opened it, so that it ends with the key; and to the key's channel, whatever the key opens. */
export const customerSessions = pageSessions<{ channel: string; key_hash: string }>('customer_sessions');

/** @returns the cookie's value */
export const openCustomerSession = (store: Store, { _id }: Channel, apiKey: string): Promise<string> =>
  customerSessions.open(store, { channel: _id, key_hash: hashToken(apiKey) });

/**
 * A customer's session and the channel as it is now; null when there is none, it has ended, or its key no longer opens the
 * channel from this address.
 */
export async function findCustomerSession(
  store: Store,
  token: string,
  ip: string,
): Promise<{ session: PageSession; channel: Channel } | null> {
  const session = await customerSessions.find(store, token);
  const channel = session && (await channelKeys.findByHash(store, session.key_hash));
  if (!channel || channel._id !== session.channel) return null;
  return refusedBy(channel.key_access, ip, timeNow()) ? null : { session, channel };
}
