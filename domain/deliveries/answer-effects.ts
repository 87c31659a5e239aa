import type { PageFailure } from './classify-answer';

/** The class of a customer's answer to a page (docs/contract.md C8). */
export type AnswerClass = 'confirmed' | PageFailure;

interface AnswerEffect {
  /** The statuses and connection errors of this class, as text for a table. */
  answers: string;
  /** What happens then, as text for the customer. */
  effect: string;
  /** What the customer has to fix, if anything. */
  mend: string | undefined;
}

/** The table of docs/customer.md; `classifyAnswer` selects the row of an answer. */
export const ANSWER_EFFECTS: Readonly<Record<AnswerClass, AnswerEffect>> = {
  confirmed: {
    answers: 'any 2xx',
    effect: 'The page is yours and the marker moves past it. The body of the answer is ignored.',
    mend: undefined,
  },
  unavailable: {
    answers:
      '408, 425, 5xx but 501 and 505, 600 to 999, which HTTP does not know; no connection, or no answer within 30 s',
    effect: 'The same page comes again after 1 s, 2 s, 4 s ... at most 5 min, and at last with the next run.',
    mend: 'Nothing, if it passes. A receiver that is slow keeps the page first, answers, and works afterwards.',
  },
  throttled: {
    answers: '429',
    effect:
      'The same page comes again when Retry-After says (seconds or a date; 1 s to 1 h), else as for 503.',
    mend: 'Nothing. Send Retry-After if you know when you can take more.',
  },
  too_large: {
    answers: '413',
    effect:
      'The page comes again in halves, and the size that fits is remembered. One record alone counts as refused.',
    mend: 'Take bodies of 17 MiB, or ask the operator for a smaller page size; then release what was set aside.',
  },
  refused: {
    answers: '400, 409, 422',
    effect:
      'The page is halved until the record you refuse is found. It is set aside if you refuse it alone twice and confirm another ' +
      'in between; the rest is delivered. If not, nothing is set aside: the delivery ends and the next run tries again.',
    mend: 'Accept what you do not know: unknown fields, references to records you have not seen, older records.',
  },
  unauthorized: {
    answers: '401, 403, 407',
    effect:
      'The delivery ends and the operator is called. After 24 hours of it the channel is paused. A page that fails in three ' +
      'deliveries is searched for its record, as one that is refused.',
    mend: 'Check the signing secret, your clock, and the Authorization value that you gave us.',
  },
  gone: {
    answers: '410',
    effect: 'The channel is paused at once, until the operator resumes it.',
    mend: 'Answer 410 only if you want nothing more.',
  },
  misconfigured: {
    answers:
      '3xx, 404, 405, 501, 505, every other 4xx; TLS that fails, a certificate that is not valid, an address that is not public',
    effect:
      'The delivery ends and the operator is called; the next run tries the same page again. A page that fails in three ' +
      'deliveries is searched for its record, as one that is refused.',
    mend: 'Check the address ({your base URL}/feed), that it takes POST, and the certificate. Redirects are not followed.',
  },
};
