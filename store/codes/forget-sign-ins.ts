import type { Store } from '../store';
import { phoneHashes } from '../consent/farmers';
import { type FarmerSession, phoneOf } from '../sessions/farmer-sessions';
import type { SignInCode } from './sign-in-codes';

/** What a phone's visits have left: both end by themselves, sessions within hours and codes within minutes. */
export async function findSignIns(
  store: Store,
  phone: string,
): Promise<{ sessions: string[]; codes: string[] }> {
  const sessions: string[] = [];
  // Phones of sessions are sealed, so each is opened; there are no more than visits of the last hours. Ended ones have none.
  for await (const session of store.db
    .collection<FarmerSession>('sessions')
    .find({ phone: { $exists: true } }))
    if (phoneOf(store, session) === phone) sessions.push(session._id);
  const codes = await store.db
    .collection<SignInCode>('sign_in_codes')
    .find({ farmer: { $in: phoneHashes(store, phone) } })
    .toArray();
  return { sessions, codes: codes.map(({ _id }) => _id) };
}

/** @returns how many there were */
export async function forgetSignIns(
  store: Store,
  phone: string,
): Promise<{ sessions: number; codes: number }> {
  const { sessions, codes } = await findSignIns(store, phone);
  await store.db.collection<FarmerSession>('sessions').deleteMany({ _id: { $in: sessions } });
  await store.db.collection<SignInCode>('sign_in_codes').deleteMany({ _id: { $in: codes } });
  return { sessions: sessions.length, codes: codes.length };
}
