import { randomUUID } from 'node:crypto';
import type { Answer } from '../domain/classify-answer';
import type { Channel } from '../store/feed/channels';
import type { Connections } from './connections';

/**
 * Posts a signed page marked as a test to the channel's base URL. It takes the path of every page: the same guard, headers
 * and limits.
 * @param asked `withAuthorization` false: whoever answers may not be the customer yet
 */
export async function postTestPage(
  connections: Connections,
  channel: Channel,
  asked: { withRecord: boolean; withAuthorization: boolean },
): Promise<Answer> {
  const { createAgent } = await import('../customer/create-agent.js');
  const { sendPage } = await import('../customer/send-page.js');
  const { testPage } = await import('../domain/test-page.js');
  const { openSecrets } = await import('../store/feed/channels.js');
  const agent = createAgent({ rule: await connections.settings() });
  const { signal } = new AbortController();
  const page = testPage(asked.withRecord, channel.page_size, new Date());
  const stored = await openSecrets(await connections.store(), channel, new Date());
  const secrets = asked.withAuthorization ? stored : { ...stored, authorization: undefined };
  const sending = { agent, signal, mayRepeat: async () => true };
  try {
    return await sendPage(sending, { ...channel, ...secrets }, page, {
      requestId: randomUUID(),
      delivery: `test/${channel._id}/${randomUUID()}`,
      entityType: 'accounts',
      generation: 0,
      epoch: 0,
      account: undefined,
      test: true,
    });
  } finally {
    await agent.destroy();
  }
}
