import { type EndDays, endDays } from '../../domain/grant-end';
import { companyZones } from '../../store/callers/integrations';
import type { OfferedAccount } from '../../store/consent/offered-accounts';
import type { Store } from '../../store/store';

/** The days that can be chosen as the last one of these accounts, as their companies count days. */
export async function daysOf(store: Store, accounts: Pick<OfferedAccount, 'company'>[]): Promise<EndDays> {
  const ids = [...new Set(accounts.map(({ company }) => company.id))];
  const zones = await companyZones(store, ids);
  return endDays(
    new Date(),
    ids.map((id) => zones.get(id)),
  );
}
