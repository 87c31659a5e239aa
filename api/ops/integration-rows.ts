import { listIntegrations } from '../../store/callers/integrations';
import { type PushSummary, readPushActivity } from '../../store/push/push-activity';
import type { Store } from '../../store/store';

/** One row of the list of ERPs. */
export interface IntegrationRow {
  name: string;
  company: string;
  isSilent: boolean;
  pushed: PushSummary | undefined;
}

/** The ERPs that may push, silent ones first. */
export async function readIntegrationRows(store: Store, now: Date): Promise<IntegrationRow[]> {
  const [integrations, activity] = await Promise.all([listIntegrations(store), readPushActivity(store)]);
  const rows = integrations.map(({ _id, name, company }): IntegrationRow => {
    const pushed = activity.get(_id);
    const silentAt = pushed?.silent_at ?? undefined;
    const isSilent = silentAt !== undefined && silentAt <= now;
    return { name, company: company.name, isSilent, pushed };
  });
  return [...rows.filter(({ isSilent }) => isSilent), ...rows.filter(({ isSilent }) => !isSilent)];
}
