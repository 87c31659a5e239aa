import { createHash, randomBytes } from 'node:crypto';
import type { FarmerSession } from '../../store/sessions/farmer-sessions';
import type { EndDays } from '../../domain/consent/grant-end';
import type { ListedAccount, whoOf } from './list-accounts';
import type { Plan } from './plan-choices';
import { CONSENT_TEXT_VERSION } from './texts/texts';
import type { FarmerState } from './farmer-state';

/** What the farmer's choices would change now. */
export interface PlannedChoices {
  plan: Plan;
  /** `today` is the first day of grants that begin now and share only what is new. */
  days: EndDays;
  who: Awaited<ReturnType<typeof whoOf>>;
  /** The farmer's last stop, read before the plan. */
  stop: string | null;
}

type Shown = Pick<FarmerState, 'session' | 'channel'>;

/** A check page that can be saved once, with the digest of its content, which it has once it is shown. */
export const newCheck = (says = ''): NonNullable<FarmerSession['check']> => ({
  form: randomBytes(16).toString('base64url'),
  says,
});

/**
 * Hashes everything the farmer consents to. A session has no room for the ids of ten thousand accounts.
 * The farmer's last stop is in it: of a page that was shown before a stop nothing is saved (docs/contract.md F10).
 */
export function checkDigest(
  { session, channel }: Shown,
  { plan, days: { today }, stop }: Omit<PlannedChoices, 'who'>,
): string {
  const { name, entity_types, delivery = 'push', cadence_ms, end_required = false } = channel;
  const { purpose = null, passes_on = null } = channel;
  const accounts = [plan.start, plan.keep, plan.widened, plan.stop].map(namesOf);
  const from = plan.keep.flatMap(({ id, newSince }) => (newSince ? [`${newSince} ${id}`] : [])).sort();
  if (!plan.earlier && plan.start.length > 0) from.push(today);
  const terms = [name, entity_types, delivery, cadence_ms, end_required, plan.endsOn, plan.earlier, stop];
  const days = [plan.unmoved.map(({ id, endsOn }) => `${endsOn} ${id}`).sort(), from];
  const content = [CONSENT_TEXT_VERSION, session.language, terms, purpose, passes_on, accounts, ...days];
  return createHash('sha256').update(JSON.stringify(content)).digest('base64url');
}

/** Sorted, since accounts of the same name have no fixed order on the page. */
const namesOf = (accounts: ListedAccount[]) =>
  accounts.map(({ id, name, company }) => JSON.stringify([id, name, company.name])).sort();
