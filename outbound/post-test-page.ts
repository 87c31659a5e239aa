import { timeNow } from '../domain/time/elapsed';
import { randomUUID } from 'node:crypto';
import type { Agent } from 'undici';
import type { Answer } from '../domain/deliveries/classify-answer';
import { testPage } from '../domain/deliveries/test-page';
import { type Receiver, sendPage } from './send-page';

/**
 * Posts a signed page marked as a test to a channel's base URL. It takes the path of every page: the same guard, headers and
 * limits.
 * @throws as `postPage`
 */
export async function postTestPage(
  agent: Agent,
  receiver: Receiver & { page_size: number },
  { withRecord, signal }: { withRecord: boolean; signal: AbortSignal },
): Promise<Answer> {
  const page = testPage(withRecord, receiver.page_size, timeNow());
  return sendPage({ agent, signal, mayRepeat: async () => true }, receiver, page, {
    requestId: randomUUID(),
    delivery: `test/${receiver._id}/${randomUUID()}`,
    entityType: 'accounts',
    generation: 0,
    epoch: 0,
    account: undefined,
    test: true,
  });
}
