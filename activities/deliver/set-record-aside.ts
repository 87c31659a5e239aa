import { reasonOverMany } from '../../domain/failure-message';
import type { PageRecord } from '../../store/records/records';
import { setAside } from '../../store/deliveries/set-aside';
import { type DeliverySlice, spentOf, type Unanswered } from './slice';

// Per run: a customer that refuses more than this has a problem of another kind.
export const MAX_SET_ASIDE = 20;
// Per run, over all its pages.
const MAX_REQUESTS = 60;

/** Sets a record aside, before the marker passes it. @returns what ends the delivery when there are too many */
export async function setRecordAside(
  slice: DeliverySlice,
  record: PageRecord,
  refused: Unanswered,
): Promise<Unanswered | undefined> {
  const { process, input, delivery, tally } = slice;
  const { failure, status } = refused.unconfirmed;
  if (spentOf(slice).set_aside >= MAX_SET_ASIDE) return asTooMany(refused, `${MAX_SET_ASIDE} records`);
  const at = await setAside(process.store, {
    channel: input.channel,
    entity_type: input.entity_type,
    record: record._id,
    position: record.position,
    failure: failure === 'too_large' ? failure : 'refused',
    status: status ?? 0,
    answer: refused.answer,
    delivery,
  });
  tally.totals.set_aside += 1;
  tally.hasSetAside = true;
  tally.setAside.set(record._id, at);
  return undefined;
}

/** Counts a request that searches for refused records. @returns what ends the delivery when there are too many */
export function countProbe(slice: DeliverySlice, refused: Unanswered): Unanswered | undefined {
  const { set_aside, probes } = spentOf(slice);
  if (probes >= MAX_REQUESTS) {
    if (set_aside + slice.tally.totals.records === 0) return asEndpoint(refused);
    return asTooMany(refused, `records found one by one, in ${MAX_REQUESTS} requests`);
  }
  slice.tally.totals.probes += 1;
  return undefined;
}

/** The records set aside stay so; the rest waits for the next run or for a person. */
function asTooMany(refused: Unanswered, many: string): Unanswered {
  const { unconfirmed } = refused;
  const advice = 'ask the customer what is wrong with those set aside';
  return {
    ...refused,
    unconfirmed: { ...unconfirmed, reason: reasonOverMany(unconfirmed.reason, many), advice },
  };
}

/** The endpoint refuses everything: nothing is set aside. */
export function asEndpoint(refused: Unanswered): Unanswered {
  const { unconfirmed } = refused;
  const reason = reasonOverMany(unconfirmed.reason, 'every record tried');
  const advice = 'ask the customer what its endpoint expects; nothing was set aside';
  return { ...refused, unconfirmed: { ...unconfirmed, reason, advice }, isEndpoint: true };
}
