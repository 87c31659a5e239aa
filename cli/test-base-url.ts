import type { Answer } from '../domain/classify-answer';
import { type Channel, openSecrets } from '../store/channels/channels';
import { CliError } from './cli-error';
import type { Connections } from './connections';

/**
 * Posts a test page to the channel's base URL.
 * @param asked `withAuthorization` false, and without headers of the customer's own: whoever answers may not be the customer yet
 */
export async function testBaseUrl(
  connections: Connections,
  channel: Channel,
  { withRecord, withAuthorization }: { withRecord: boolean; withAuthorization: boolean },
): Promise<Answer> {
  const { createAgent } = await import('../customer/create-agent.js');
  const customer = await import('../customer/post-test-page.js');
  const { ProxyAway } = await import('../customer/open-tunnel.js');
  const settings = await connections.settings();
  const agent = createAgent({ rule: settings, outboundProxy: settings.outboundProxy });
  const stored = await openSecrets(await connections.store(), channel, new Date());
  const secrets = withAuthorization ? stored : { ...stored, authorization: undefined, headers: {} };
  try {
    const { signal } = new AbortController();
    return await customer.postTestPage(agent, { ...channel, ...secrets }, { withRecord, signal });
  } catch (error) {
    if (error instanceof ProxyAway) throw new CliError(error.message, 'check GDX_OUTBOUND_PROXY');
    throw error;
  } finally {
    await agent.destroy();
  }
}
