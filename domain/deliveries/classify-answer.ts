/** Why a page was not confirmed: the failure type that an operator sees (docs/contract.md C8). */
export const FAILURES = [
  'unavailable',
  'throttled',
  'too_large',
  'refused',
  'unauthorized',
  'gone',
  'misconfigured',
] as const;
export type PageFailure = (typeof FAILURES)[number];

/** The result of one POST: a status, or the reason why there is none. */
export type Answer =
  | { status: number; retryAfter?: string | undefined; excerpt: string }
  | {
      status: null;
      problem: 'timeout' | 'unreachable' | 'tls' | 'blocked';
      detail: string;
      /** The customer was reached: it may have received the page, or a part of it. */
      reached?: true;
    };

export interface Verdict {
  failure: PageFailure;
  /** "answered 503", "did not answer within 30 s": completes a sentence that begins with the customer's name. */
  reason: string;
  /** What a person has to do, if anything. */
  advice: string | undefined;
}

/**
 * Whether the failure passes by itself, so that the delivery waits and retries; all others end it
 * (docs/architecture.md#failures-and-retries).
 */
export const isPassing = (failure: PageFailure) => failure === 'unavailable' || failure === 'throttled';

// Of the others 5xx are `unavailable`, and the rest `misconfigured`.
const STATUSES: Readonly<Record<PageFailure, readonly number[]>> = {
  unavailable: [408, 425],
  throttled: [429],
  too_large: [413],
  refused: [400, 409, 422],
  unauthorized: [401, 403, 407],
  gone: [410],
  misconfigured: [501, 505],
};

const ADVICE: Partial<Record<PageFailure, string>> = {
  unauthorized: 'check the channel’s authorization',
  gone: 'ask the customer whether the feed is still wanted',
  misconfigured: 'check the channel’s base URL',
};

/**
 * The channel's secrets were sealed for another address, so nothing was sent. Something other than `gdx` may have
 * changed the address.
 */
export const NOT_SEALED_FOR_IT: Answer = {
  status: null,
  problem: 'blocked',
  detail: 'has an address that its secrets are not sealed for, so nothing was sent',
};

/**
 * Classifies an answer; undefined when the page is confirmed. Any 2xx confirms it, and nothing else (docs/contract.md
 * C7).
 */
export function classifyAnswer(answer: Answer): Verdict | undefined {
  if (answer.status !== null && answer.status >= 200 && answer.status < 300) return undefined;
  const failure = failureOf(answer);
  const reason = answer.status === null ? answer.detail : `answered ${answer.status}`;
  return { failure, reason, advice: ADVICE[failure] };
}

// Gateways answer with these when the customer takes too long or closes the connection.
const BY_GATEWAYS = [408, 502, 503, 504];

/**
 * Whether the page was cut off or not answered in time. A page that is too long for the customer or for a gateway
 * before it looks like this; so does a customer that is down.
 */
export const isCutOff = (answer: Answer): boolean =>
  answer.status === null
    ? answer.reached === true
    : BY_GATEWAYS.includes(answer.status) && answer.retryAfter === undefined;

function failureOf(answer: Answer): PageFailure {
  if (answer.status === null) {
    return answer.problem === 'tls' || answer.problem === 'blocked' ? 'misconfigured' : 'unavailable';
  }
  const { status } = answer;
  const named = FAILURES.find((failure) => STATUSES[failure].includes(status));
  return named ?? (status >= 500 ? 'unavailable' : 'misconfigured');
}
