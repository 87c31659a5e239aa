import { msNow } from '../../domain/time/elapsed';
import { type Answer, classifyAnswer, isCutOff } from '../../domain/deliveries/classify-answer';
import { parseRetryAfter } from '../../domain/deliveries/retry-delay';
import { MAX_PAGES_PER_HOST } from '../../outbound/host-limiter';
import type { NotConfirmed } from './slice';

/** @returns undefined when the customer has confirmed the page */
export function judgeAnswer(answer: Answer, request_id: string): NotConfirmed | undefined {
  const verdict = classifyAnswer(answer);
  if (!verdict) return undefined;
  const { status } = answer;
  const { excerpt, retryAfter } = answer.status === null ? { excerpt: '' } : answer;
  const unconfirmed = { ...verdict, status, retry_after_ms: parseRetryAfter(retryAfter, msNow()) ?? null };
  return { end: 'unconfirmed', unconfirmed, answer: excerpt, request_id, isCutOff: isCutOff(answer) };
}

/** No slot of the host became free in time: the page is retried later, like one without an answer. */
export const NO_SLOT: NotConfirmed = {
  end: 'unconfirmed',
  unconfirmed: {
    failure: 'unavailable',
    reason: `is slow to answer the ${MAX_PAGES_PER_HOST} pages in flight to its host`,
    advice: undefined,
    status: null,
    retry_after_ms: null,
  },
  answer: '',
  request_id: '',
};
