import { listIntegrations } from '../../store/callers/integrations';
import { isSharedOf } from '../../store/consent/subscriptions';
import type { Store } from '../../store/store';
import { type DoctorFinding, warn } from './doctor-finding';

/** Companies of which farmers share accounts, and whose time zone is not known: their farmers read days of another zone. */
export async function checkZones(store: Store): Promise<DoctorFinding[]> {
  const integrations = await listIntegrations(store);
  const known = new Set(integrations.flatMap(({ company, time_zone }) => (time_zone ? [company.id] : [])));
  const companies = new Map(
    integrations.map(({ _id, company }) => [company.id, { integration: _id, company }]),
  );
  const findings: DoctorFinding[] = [];
  for (const [id, { integration, company }] of companies) {
    if (known.has(id) || !(await isSharedOf(store, id))) continue;
    const problem = `farmers share accounts of ${company.name}, whose time zone is not known: they read days of another one`;
    const cure = `\`gdx integration set ${integration} --time-zone America/Chicago\`, or the zone in which it counts days`;
    findings.push(warn('time zones', problem, cure));
  }
  return findings;
}
