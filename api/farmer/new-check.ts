import { createHash, randomBytes } from 'node:crypto';
import type { FarmerSession } from '../../store/sessions/farmer-sessions';
import type { ListedAccount } from './list-accounts';
import type { Plan } from './plan-choices';
import { CONSENT_TEXT_VERSION } from './texts/texts';
import type { FarmerState } from './farmer-state';

type Shown = Pick<FarmerState, 'session' | 'channel'>;

/** A check page that can be saved once, with the digest of its content. */
export const newCheck = (says: string): NonNullable<FarmerSession['check']> => ({
  form: randomBytes(16).toString('base64url'),
  says,
});

/**
 * Hashes everything the farmer consents to. A session has no room for the ids of ten thousand accounts.
 * @param today the first day of grants that begin now and share only what is new
 */
export function checkDigest({ session, channel }: Shown, plan: Plan, today: string): string {
  const { name, entity_types, delivery = 'push', cadence_ms, end_required = false } = channel;
  const { purpose = null, passes_on = null } = channel;
  const accounts = [plan.start, plan.keep, plan.widened, plan.stop].map(idsOf);
  const from = plan.keep.flatMap(({ id, newSince }) => (newSince ? [`${newSince} ${id}`] : [])).sort();
  if (!plan.earlier && plan.start.length > 0) from.push(today);
  const terms = [name, entity_types, delivery, cadence_ms, end_required, plan.endsOn, plan.earlier];
  const days = [plan.unmoved.map(({ id, endsOn }) => `${endsOn} ${id}`).sort(), from];
  const content = [CONSENT_TEXT_VERSION, session.language, terms, purpose, passes_on, accounts, ...days];
  return createHash('sha256').update(JSON.stringify(content)).digest('base64url');
}

/** Sorted, since accounts of the same name have no fixed order on the page. */
const idsOf = (accounts: ListedAccount[]) => accounts.map(({ id }) => id).sort();
