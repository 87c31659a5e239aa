import type { Answer } from '../domain/classify-answer';
import { type Channel, openSecrets } from '../store/channels/channels';
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
  const agent = createAgent({ rule: await connections.settings() });
  const stored = await openSecrets(await connections.store(), channel, new Date());
  const secrets = withAuthorization ? stored : { ...stored, authorization: undefined, headers: {} };
  try {
    const { signal } = new AbortController();
    return await customer.postTestPage(agent, { ...channel, ...secrets }, { withRecord, signal });
  } finally {
    await agent.destroy();
  }
}
