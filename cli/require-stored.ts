import { type Integration, listEvenClosedIntegrations } from '../store/callers/integrations';
import { dayClosed, sayClosed } from '../control/deed';
import { type Channel, findEvenClosed } from '../store/channels/channels';
import { CliError, UsageError } from '../client/cli-error';
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
  const channel = await channelEvenClosed(connections, slug);
  if (channel.state === 'closed')
    throw new CliError(sayClosed(channel), `\`gdx channel show ${slug}\` says why`);
  return channel;
}

export async function channelEvenClosed(connections: Connections, slug: string): Promise<Channel> {
  return requireChannel(await findEvenClosed(await connections.store(), slug), slug);
}

export async function findIntegration(connections: Connections, id: string): Promise<Integration> {
  const found = await integrationEvenClosed(connections, id);
  if (!found.closed) return found;
  const says = `the integration was closed${dayClosed(found)}: it does not open again`;
  throw new CliError(says, '`gdx integration add` allows another one');
}

export async function integrationEvenClosed(
  connections: Pick<Connections, 'store'>,
  id: string,
): Promise<Integration> {
  const all = await listEvenClosedIntegrations(await connections.store());
  return requireIntegration(
    all.find(({ _id }) => _id === id),
    id,
  );
}

/**
 * The open ERPs of a vendor.
 * @param evenClosed where none is open, those that are closed
 * @throws CliError where there are none, UsageError where no vendor is named
 */
export async function integrationsOf(
  connections: Connections,
  vendor?: string,
  { evenClosed = false } = {},
): Promise<Integration[]> {
  if (vendor === undefined) throw new UsageError('no ERP is named', 'say its id, or --vendor');
  const all = await listEvenClosedIntegrations(await connections.store());
  const its = all.filter((one) => one.vendor === vendor);
  const open = its.filter(({ closed }) => !closed);
  const found = open.length === 0 && evenClosed ? its : open;
  if (found.length > 0) return found;
  throw new CliError(`no ERP is of the vendor ${vendor}`, '`gdx integration list` shows them all');
}

/** "agris of Prairie Co-op" */
export const describeIntegration = ({ name, company }: Integration) => `${name} of ${company.name}`;
