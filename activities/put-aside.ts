import type { PageRecord } from '../store/records';
import { setAside } from '../store/set-aside';
import type { PageAttempt, Unanswered } from './deliver-page';

// In one delivery (delivery, "Answers"): a customer that refuses more than this has another problem than a record.
export const MOST_SET_ASIDE = 20;

/** Sets a record aside; done before the marker passes it. @returns what ends the delivery when there are too many */
export async function putAside(
  attempt: PageAttempt,
  record: PageRecord,
  refused: Unanswered,
): Promise<Unanswered | undefined> {
  const { store, input, delivery, totals, aside } = attempt;
  const { failure, status } = refused.unconfirmed;
  if (totals.set_aside >= MOST_SET_ASIDE) return asTooMany(refused, `${MOST_SET_ASIDE} records`);
  const at = await setAside(store, {
    channel: input.channel,
    entity_type: input.entity_type,
    record: record._id,
    position: record.position,
    failure: failure === 'too_large' ? failure : 'refused',
    status: status ?? 0,
    answer: refused.answer,
    delivery,
  });
  totals.set_aside += 1;
  aside.set(record._id, at);
  return undefined;
}

/** What was set aside stays so; the rest waits for the next run, or for a person. */
export function asTooMany({ unconfirmed, ...said }: Unanswered, many: string): Unanswered {
  const advice = 'ask the customer what is wrong with those set aside';
  return { unconfirmed: { ...unconfirmed, reason: `${unconfirmed.reason} to ${many}`, advice }, ...said };
}
