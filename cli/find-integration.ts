import type { Integration } from '../store/access/integrations';
import type { Connections } from './connections';
import { requireIntegration } from './require-integration';

/** @throws CliError when there is no such integration. */
export async function findIntegration(connections: Connections, id: string): Promise<Integration> {
  const { listIntegrations } = await import('../store/access/integrations.js');
  const all = await listIntegrations(await connections.store());
  return requireIntegration(all.find(({ _id }) => _id === id) ?? null, id);
}

/** "agris of Prairie Co-op" */
export const describeIntegration = ({ name, company }: Integration) => `${name} of ${company.name}`;
