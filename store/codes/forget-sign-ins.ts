import type { Store } from '../store';
import { phoneHashes } from '../consent/farmers';
import { farmerSessions, phoneOf } from '../sessions/farmer-sessions';
import { forgetWaysOut } from '../sessions/session-ends';
import { inTransaction } from '../transact';
import { sentCodes } from './sign-in-codes';

/** Finds a phone's sessions and codes by its hashes. They expire by themselves: sessions within hours, codes within minutes. */
export async function findSignIns(
  store: Store,
  hashes: string[],
): Promise<{ sessions: string[]; codes: string[] }> {
  const sessions = await findSessions(store, hashes);
  const codes = await sentCodes(store)
    .find({ farmer: { $in: hashes } })
    .toArray();
  return { sessions, codes: codes.map(({ _id }) => _id) };
}

async function findSessions(store: Store, hashes: string[]): Promise<string[]> {
  const sessions: string[] = [];
  // Phones of sessions are sealed, so each is opened; there are no more than visits of the last hours. Ended ones have none.
  for await (const session of farmerSessions(store).find({ phone: { $exists: true } }))
    if (phoneHashes(store, phoneOf(store, session)).some((one) => hashes.includes(one)))
      sessions.push(session._id);
  return sessions;
}

/**
 * Removes the codes and sessions of a phone, and where its ended sessions lead. Codes come first: whoever has entered one before has
 * a session that is found here, or that opens nothing any more.
 * @returns how many there were of each
 */
export async function forgetSignIns(
  store: Store,
  hashes: string[],
): Promise<{ sessions: number; codes: number }> {
  const { deletedCount: codes } = await sentCodes(store).deleteMany({ farmer: { $in: hashes } });
  const sessions = await forgetSessions(store, hashes);
  await forgetWaysOut(store);
  return { sessions, codes };
}

/** A session that a code has given another id once it was found is looked for again. */
async function forgetSessions(store: Store, hashes: string[]): Promise<number> {
  const found = await findSessions(store, hashes);
  const { deletedCount } = await inTransaction(store, (session) =>
    farmerSessions(store).deleteMany({ _id: { $in: found }, phone: { $exists: true } }, { session }),
  );
  return deletedCount + (deletedCount < found.length ? await forgetSessions(store, hashes) : 0);
}
