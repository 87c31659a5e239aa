import type { Answer } from '../domain/deliveries/classify-answer';

/**
 * The customer's answer, or a timeout after `ms`: for requests that get less time than a page.
 * @param send throws the signal's reason when the signal aborts it, as `postPage` does
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
