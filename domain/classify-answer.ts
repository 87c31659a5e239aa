/** Why a page was not confirmed; the failure type an operator sees (delivery, "Answers"). */
export const FAILURES = [
  'unavailable',
  'throttled',
  'too_large',
  'refused',
  'unauthorized',
  'gone',
  'misconfigured',
] as const;
export type Failure = (typeof FAILURES)[number];

/** What came of one POST: a status, or the reason why none came. */
export type Answer =
  | { status: number; retryAfter?: string | undefined; excerpt: string }
  | { status: null; problem: 'timeout' | 'unreachable' | 'tls' | 'blocked'; detail: string };

export interface Verdict {
  failure: Failure;
  /** "answered 503", "did not answer within 30 s": completes a sentence that begins with the customer's name. */
  reason: string;
  /** What to do about it, where a person has to. */
  advice: string | undefined;
}

/** These pass by themselves: the delivery waits and tries again. All others end it (design 4). */
export const isPassing = (failure: Failure) => failure === 'unavailable' || failure === 'throttled';

const BY_STATUS: Record<number, Failure> = {
  400: 'refused',
  401: 'unauthorized',
  403: 'unauthorized',
  407: 'unauthorized',
  408: 'unavailable',
  409: 'refused',
  410: 'gone',
  413: 'too_large',
  422: 'refused',
  425: 'unavailable',
  429: 'throttled',
  500: 'unavailable',
  502: 'unavailable',
  503: 'unavailable',
  504: 'unavailable',
};

const ADVICE: Partial<Record<Failure, string>> = {
  unauthorized: 'check the channel’s authorization',
  gone: 'ask the customer whether the feed is still wanted',
  misconfigured: 'check the channel’s base URL',
};

/** Undefined when the page is confirmed: any 2xx does, and nothing else (contract 3). */
export function classifyAnswer(answer: Answer): Verdict | undefined {
  if (answer.status !== null && answer.status >= 200 && answer.status < 300) return undefined;
  const failure = failureOf(answer);
  const reason = answer.status === null ? answer.detail : `answered ${answer.status}`;
  return { failure, reason, advice: ADVICE[failure] };
}

function failureOf(answer: Answer): Failure {
  if (answer.status === null) {
    return answer.problem === 'tls' || answer.problem === 'blocked' ? 'misconfigured' : 'unavailable';
  }
  return (
    BY_STATUS[answer.status] ??
    (answer.status >= 500 && answer.status !== 501 && answer.status !== 505 ? 'unavailable' : 'misconfigured')
  );
}
