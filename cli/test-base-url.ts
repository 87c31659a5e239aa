import { timeNow } from '../domain/time/elapsed';
import type { Answer } from '../domain/deliveries/classify-answer';
import { type Channel, openSecrets } from '../store/channels/channels';
import { SealUnfit } from '../store/secrets/channel-seal';
import { CliError } from '../client/cli-error';
import type { Connections } from './connections';

/**
 * Posts a test page to the channel's base URL.
 * @param newUrl posts it there instead, without Authorization and the customer's own headers, as whoever answers may
 * not be the customer yet
 */
export async function testBaseUrl(
  connections: Connections,
  channel: Channel,
  { withRecord = false, newUrl }: { withRecord?: boolean; newUrl?: string },
): Promise<Answer> {
  const { createAgent } = await import('../outbound/create-agent.js');
  const customer = await import('../outbound/post-test-page.js');
  const { ProxyAway } = await import('../outbound/open-tunnel.js');
  const settings = await connections.settings();
  const agent = createAgent({ rule: settings, outboundProxy: settings.outboundProxy });
  const store = await connections.store();
  const open = (base_url: string) => openSecrets(store, { ...channel, base_url }, timeNow());
  // The secrets may not fit the stored address, if something else changed it. Then they fit the given one
  // that corrects it.
  const stored = await open(channel.base_url).catch((error: unknown) =>
    error instanceof SealUnfit ? open(newUrl ?? channel.base_url) : Promise.reject(error as Error),
  );
  const sent =
    newUrl === undefined ? stored : { ...stored, base_url: newUrl, authorization: undefined, headers: {} };
  try {
    const { signal } = new AbortController();
    return await customer.postTestPage(agent, { ...channel, ...sent }, { withRecord, signal });
  } catch (error) {
    if (error instanceof ProxyAway) throw new CliError(error.message, 'check GDX_OUTBOUND_PROXY');
    throw error;
  } finally {
    await agent.destroy();
  }
}
