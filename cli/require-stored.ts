import type { EntityType } from '../domain/entity-types';
import { type Integration, listIntegrations } from '../store/callers/integrations';
import { type Channel, findChannel } from '../store/channels/channels';
import { CliError } from './cli-error';
import type { Connections } from './connections';

/** @throws CliError when there is no such channel. */
export function requireChannel<T>(found: T | null, slug: string): T {
  if (found !== null) return found;
  throw new CliError(`there is no channel ${slug}`, '`gdx channel list` shows them all');
}

/** @throws CliError when there is no such channel. */
export async function channelNamed(connections: Connections, slug: string): Promise<Channel> {
  return requireChannel(await findChannel(await connections.store(), slug), slug);
}

/** @throws CliError when the channel does not carry records of the type */
export function requireCarried({ _id: slug, entity_types }: Channel, type: EntityType): void {
  if (!entity_types.includes(type))
    throw new CliError(`channel ${slug} carries no ${type}`, `it carries ${entity_types.join(', ')}`);
}

/** @throws CliError when there is no such integration. */
export function requireIntegration<T>(found: T | null, id: string): T {
  if (found !== null) return found;
  throw new CliError(`there is no integration ${id}`, '`gdx integration list` shows them all');
}

/** @throws CliError when there is no such integration. */
export async function findIntegration(connections: Connections, id: string): Promise<Integration> {
  const all = await listIntegrations(await connections.store());
  return requireIntegration(all.find(({ _id }) => _id === id) ?? null, id);
}

/** "agris of Prairie Co-op" */
export const describeIntegration = ({ name, company }: Integration) => `${name} of ${company.name}`;
