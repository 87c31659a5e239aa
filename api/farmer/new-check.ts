import { createHash, randomBytes } from 'node:crypto';
import type { FarmerSession } from '../../store/farmer-sessions';
import type { ListedAccount } from './list-accounts';
import type { Plan } from './plan-choices';
import { CONSENT_TEXT_VERSION } from './texts/texts';
import type { Visit } from './visit';

type Shown = Pick<Visit, 'session' | 'channel'>;

/** A check page that may be saved once, and what it says. */
export const newCheck = (shown: Shown, plan: Plan): NonNullable<FarmerSession['check']> => ({
  form: randomBytes(16).toString('base64url'),
  says: whatItSays(shown, plan),
});

/** All that the consent rests on, as a digest: a session has no room for ten thousand accounts. */
export function whatItSays({ session, channel }: Shown, { start, keep, stop }: Plan): string {
  const { name, entity_types, cadence_ms } = channel;
  const accounts = [start, keep, stop].map(idsOf);
  const said = [CONSENT_TEXT_VERSION, session.language, name, entity_types, cadence_ms, accounts];
  return createHash('sha256').update(JSON.stringify(said)).digest('base64url');
}

/** In an order of their own: accounts of one name have none on the page. */
const idsOf = (accounts: ListedAccount[]) => accounts.map(({ id }) => id).sort();
