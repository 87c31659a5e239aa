import { type EndDays, endDays } from '../../domain/grant-end';
import { companyZones } from '../../store/callers/integrations';
import type { OfferedAccount } from '../../store/consent/offered-accounts';
import type { Store } from '../../store/store';
import type { Plan } from './plan-choices';

/** Today and the last days that can be chosen for these accounts, in the time zones of their companies. */
export async function daysOf(store: Store, accounts: Pick<OfferedAccount, 'company'>[]): Promise<EndDays> {
  const ids = [...new Set(accounts.map(({ company }) => company.id))];
  const zones = await companyZones(store, ids);
  return endDays(
    new Date(),
    ids.map((id) => zones.get(id)),
  );
}

/** The same for the accounts that a plan shares. */
export const daysOfPlan = (store: Store, { start, keep }: Pick<Plan, 'start' | 'keep'>): Promise<EndDays> =>
  daysOf(store, [...start, ...keep]);
