import { isOurs } from './alert-class';
import { withoutAddress } from '../settings/denied-address';

const OUR_FAILURE = 'Something failed on our side: the next run tries again from the same place';

/** Makes a sentence for operators fit for customers: it removes the address that a name resolved to, and `gdx` commands. */
export const forCustomers = (sentence: string): string =>
  withoutAddress(sentence).replace(/(?:, then|:) gdx \S.*$/, '');

/** The cause of a failed delivery for its customer. Of our own outages the customer learns no details. */
export function failureForCustomers(failure: string | null, message: string | null): string | null {
  if (isOurs(failure)) return OUR_FAILURE;
  return message && forCustomers(message);
}
