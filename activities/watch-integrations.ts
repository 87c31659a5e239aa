import { sayInterval } from '../domain/push-rhythm';
import { type Alert, listAlerts, raiseAlert, resolveAlert } from '../store/alerts/alerts';
import { findSilent, type PushActivity } from '../store/push/push-activity';
import type { Store } from '../store/store';
import { remindAfterADay } from './remind-after-a-day';

/** Alerts to integrations from which nothing has come for twice their usual interval (docs/contract.md O24). */
export async function watchIntegrations(store: Store, now: Date): Promise<void> {
  const silent = await findSilent(store, now);
  for (const one of silent) {
    const alert = {
      channel: alertKeyOf(one._id),
      integration: one._id,
      class: 'silent',
      subject: undefined,
    } as const;
    await raiseAlert(store, { ...alert, message: silentMessage(one) }, now);
  }
  const ids = new Set(silent.map(({ _id }) => _id));
  for (const alert of await listAlerts(store)) {
    if (alert.integration === undefined) continue;
    if (ids.has(alert.integration)) await remindAfterADay(store, alert, now);
    else await resolveAlert(store, alert._id, `No longer: ${alert.message}`, now);
  }
}

/** No channel has a slash in its slug. */
const alertKeyOf = (integration: string): Alert['channel'] => `integration/${integration}`;

function silentMessage({ erp, last_at, usual_ms }: PushActivity): string {
  const since = last_at.toISOString().slice(0, 16).replace('T', ' ');
  return `${erp} has pushed nothing since ${since} UTC; at this time it usually leaves at most ${sayInterval(usual_ms ?? 0)}: does its export run? See gdx integration list`;
}
