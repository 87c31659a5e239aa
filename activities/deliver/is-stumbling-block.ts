import type { Channel } from '../../store/channels/channels';
import { isConfirmedSince } from '../../store/markers/markers';
import { noteStumble, type StumbleAt } from '../../store/deliveries/set-aside';
import { type DeliverySlice, spentOf, type Unanswered } from './slice';

// The customer is away: the status says nothing of the page.
const AWAY = [502, 503, 504];
const DELIVERIES_BEFORE = 2;
const CUT_OFF = 0; // in the place of a status

/**
 * Whether this page makes the receiver fail: it drew the same server error in two earlier deliveries while the
 * customer confirmed other pages. Such a page is searched like a refused one, once per run.
 */
export async function isStumblingBlock(
  slice: DeliverySlice,
  { position, ...at }: StumbleAt & { position: number },
  { unconfirmed: { status } }: Unanswered,
): Promise<boolean> {
  const { process, input, delivery } = slice;
  const { store } = process;
  if (status === null || status < 500 || AWAY.includes(status)) return false;
  const { since, deliveries } = await noteStumble(store, at, { status, position, delivery });
  if (deliveries <= DELIVERIES_BEFORE) return false;
  return spentOf(slice).probes === 0 && isConfirmedSince(store, input.channel, since);
}

/**
 * Whether to find out, once a run, if a page that was cut off is too long for the customer: when it was in two earlier
 * deliveries, or when a longer page was found to be. It waits for an attempt that is not in the main queue.
 */
export async function isPerhapsTooLong(
  slice: DeliverySlice,
  { position, ...at }: StumbleAt & { position: number },
  { page_limit }: Channel,
  records: number,
): Promise<boolean> {
  const { process, input, delivery } = slice;
  const { deliveries } = await noteStumble(process.store, at, { status: CUT_OFF, position, delivery });
  const isKnown = page_limit?.cut_off === true && records > 1;
  if (deliveries <= DELIVERIES_BEFORE && !isKnown) return false;
  const isInMainQueue = input.first && !input.unanswered;
  return !isInMainQueue && spentOf(slice).probes === 0 && !process.draining();
}
