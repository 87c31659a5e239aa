import { type Integration, listIntegrations } from '../store/callers/integrations';
import { type Channel, findChannel } from '../store/channels/channels';
import { CliError } from '../client/cli-error';
import type { Connections } from './connections';

/** These throw a CliError when there is none of the name. */
const required =
  (noun: 'channel' | 'integration' | 'operator') =>
  <T>(found: T | null | undefined, name: string): T => {
    if (found !== null && found !== undefined) return found;
    throw new CliError(`there is no ${noun} ${name}`, `\`gdx ${noun} list\` shows them all`);
  };
export const requireChannel = required('channel');
export const requireIntegration = required('integration');
export const requireOperator = required('operator');

export async function channelNamed(connections: Connections, slug: string): Promise<Channel> {
  return requireChannel(await findChannel(await connections.store(), slug), slug);
}

export async function findIntegration(connections: Connections, id: string): Promise<Integration> {
  const all = await listIntegrations(await connections.store());
  return requireIntegration(
    all.find(({ _id }) => _id === id),
    id,
  );
}

/** "agris of Prairie Co-op" */
export const describeIntegration = ({ name, company }: Integration) => `${name} of ${company.name}`;
