import { isOurs } from './alert-class';
import { withoutAddress } from './denied-address';

const OUR_FAILURE = 'Something failed on our side: the next run tries again from the same place';

/** A sentence that operators read, as a customer may: without the address that a name led to, and without our commands. */
export const forCustomers = (sentence: string): string =>
  withoutAddress(sentence).replace(/(?:, then|:) gdx \S.*$/, '');

/** Why a delivery failed, as its customer may read it: of an outage of ours no more than that. */
export function failureForCustomers(failure: string | null, message: string | null): string | null {
  if (isOurs(failure)) return OUR_FAILURE;
  return message && forCustomers(message);
}
