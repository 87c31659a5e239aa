import { timeNow } from '../domain/time/elapsed';
import type { Agent } from 'undici';
import { answerWithin } from '../outbound/answer-within';
import { postTestPage } from '../outbound/post-test-page';
import { withoutAddress } from '../domain/settings/denied-address';
import { type Answer, NOT_SEALED_FOR_IT } from '../domain/deliveries/classify-answer';
import { type ExplainedAnswer, explainAnswer } from '../domain/deliveries/explain-answer';
import { findChannel, openSecrets } from '../store/channels/channels';
import { SealUnfit } from '../store/secrets/channel-seal';
import type { Store } from '../store/store';

// Less than for a real page, as somebody waits for the answer.
const TIMEOUT_MS = 15_000;

/** Posts a test page to a channel's customer. @returns null for a channel that is gone or posts no pages */
export function createPostTestPage({ store, agent }: { store: Store; agent: Agent }) {
  return async function postToCustomer(slug: string): Promise<ExplainedAnswer | null> {
    const channel = await findChannel(store, slug);
    if (!channel?.base_url || channel.delivery === 'pull') return null;
    const started = performance.now();
    const answer = await answerWithin(TIMEOUT_MS, async (signal) => {
      const secrets = await openSecrets(store, channel, timeNow());
      return postTestPage(agent, { ...channel, ...secrets }, { withRecord: false, signal });
    }).catch(asAnswer);
    const explained = explainAnswer(channel.name, answer, performance.now() - started);
    return { ...explained, reason: withoutAddress(explained.reason) };
  };
}

function asAnswer(error: unknown): Answer {
  if (error instanceof SealUnfit) return NOT_SEALED_FOR_IT;
  throw error;
}
