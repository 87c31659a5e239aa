import type { Store } from '../store';
import { phoneHashes } from '../consent/farmers';
import { farmerSessions, phoneOf } from '../sessions/farmer-sessions';
import { forgetWaysOut } from '../sessions/session-ends';
import { sentCodes } from './sign-in-codes';

/** Finds a phone's sessions and codes by its hashes. They expire by themselves: sessions within hours, codes within minutes. */
export async function findSignIns(
  store: Store,
  hashes: string[],
): Promise<{ sessions: string[]; codes: string[] }> {
  const sessions: string[] = [];
  // Phones of sessions are sealed, so each is opened; there are no more than visits of the last hours. Ended ones have none.
  for await (const session of farmerSessions(store).find({ phone: { $exists: true } }))
    if (phoneHashes(store, phoneOf(store, session)).some((one) => hashes.includes(one)))
      sessions.push(session._id);
  const codes = await sentCodes(store)
    .find({ farmer: { $in: hashes } })
    .toArray();
  return { sessions, codes: codes.map(({ _id }) => _id) };
}

/** Removes the sessions and codes of a phone, and where its ended sessions lead. @returns how many there were of each */
export async function forgetSignIns(
  store: Store,
  hashes: string[],
): Promise<{ sessions: number; codes: number }> {
  const { sessions, codes } = await findSignIns(store, hashes);
  await farmerSessions(store).deleteMany({ _id: { $in: sessions } });
  await forgetWaysOut(store);
  await sentCodes(store).deleteMany({ _id: { $in: codes } });
  return { sessions: sessions.length, codes: codes.length };
}
