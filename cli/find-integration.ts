import type { Integration } from '../store/integrations';
import type { Connections } from './connections';
import { requireIntegration } from './require-integration';

/** @throws Failure when there is no such integration. */
export async function findIntegration(connections: Connections, id: string): Promise<Integration> {
  const { listIntegrations } = await import('../store/integrations.js');
  const all = await listIntegrations(await connections.store());
  return requireIntegration(all.find(({ _id }) => _id === id) ?? null, id);
}
