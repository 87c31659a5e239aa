import type { Answer } from '../domain/classify-answer';
import { type Channel, openSecrets } from '../store/channels/channels';
import { SealUnfit } from '../store/secrets/channel-seal';
import { CliError } from './cli-error';
import type { Connections } from './connections';

/**
 * Posts a test page to the channel's base URL.
 * @param asked `baseUrl`: another address than the channel's. `withAuthorization` false: sends neither
 * Authorization nor the customer's own headers, as whoever answers may not be the customer yet
 */
export async function testBaseUrl(
  connections: Connections,
  channel: Channel,
  {
    withRecord,
    withAuthorization,
    baseUrl = channel.base_url,
  }: { withRecord: boolean; withAuthorization: boolean; baseUrl?: string },
): Promise<Answer> {
  const { createAgent } = await import('../customer/create-agent.js');
  const customer = await import('../customer/post-test-page.js');
  const { ProxyAway } = await import('../customer/open-tunnel.js');
  const settings = await connections.settings();
  const agent = createAgent({ rule: settings, outboundProxy: settings.outboundProxy });
  const store = await connections.store();
  const open = (base_url: string) => openSecrets(store, { ...channel, base_url }, new Date());
  // The secrets may not fit the stored address, if something else changed it. Then they fit the given one
  // that corrects it.
  const stored = await open(channel.base_url).catch((error: unknown) =>
    error instanceof SealUnfit ? open(baseUrl) : Promise.reject(error as Error),
  );
  const secrets = withAuthorization ? stored : { ...stored, authorization: undefined, headers: {} };
  try {
    const { signal } = new AbortController();
    return await customer.postTestPage(
      agent,
      { ...channel, ...secrets, base_url: baseUrl },
      { withRecord, signal },
    );
  } catch (error) {
    if (error instanceof ProxyAway) throw new CliError(error.message, 'check GDX_OUTBOUND_PROXY');
    throw error;
  } finally {
    await agent.destroy();
  }
}
