import { proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { Activities } from '../activities/create-activities';
import type { ExplainedAnswer } from '../domain/deliveries/explain-answer';

const { postTestPage } = proxyActivities<Activities>({
  startToCloseTimeout: '20 seconds',
  retry: { maximumAttempts: 1 }, // whoever asked can ask again
});

/** Posts a page marked as a test to a channel's customer, for whoever asks for it on the channel's page. */
export async function testEndpoint({ slug }: { slug: string }): Promise<ExplainedAnswer | null> {
  const answer = await postTestPage(slug);
  setCurrentDetails(answer ? `${answer.reason} after ${answer.milliseconds} ms` : 'its pages are not posted');
  return answer;
}
