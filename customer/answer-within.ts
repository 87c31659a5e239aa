import type { Answer } from '../domain/classify-answer';

/**
 * The customer's answer within less time than a page is given; no answer after it.
 * @param send as `postPage` does it: throws the signal's reason when the signal aborts it
 */
export async function answerWithin(
  ms: number,
  send: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const signal = AbortSignal.timeout(ms);
  try {
    return await send(signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    return { status: null, problem: 'timeout', detail: `did not answer within ${ms / 1_000} s` };
  }
}
