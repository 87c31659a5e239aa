import { isOurs } from './alert-class';
import { type AnswerClass, ANSWER_EFFECTS } from './answer-effects';
import { isPassing, type PageFailure } from './classify-answer';
import { withoutAddress } from '../settings/denied-address';

const OUR_FAILURE = 'Something failed on our side: the next run tries again from the same place';

/** Makes a sentence for operators fit for customers: it removes the address that a name resolved to, and what operators are to do. */
export const forCustomers = (sentence: string): string =>
  withoutAddress(sentence).replace(/: (?:[^:]*, then )?gdx \S.*$/, '');

/**
 * The cause of a failed delivery for its customer, with what the customer can do in place of what the operator can. Of our own
 * outages the customer learns no details.
 */
export function failureForCustomers(failure: string | null, message: string | null): string | null {
  if (isOurs(failure)) return OUR_FAILURE;
  if (message === null) return null;
  const mend = isPassing(failure as PageFailure) ? undefined : ANSWER_EFFECTS[failure as AnswerClass]?.mend;
  if (!mend) return forCustomers(message);
  return `${forCustomers(message.replace(/: [^:]*$/, ''))}. ${mend}`;
}
