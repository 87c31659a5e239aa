import { findChannel } from '../../store/channels/channels';
import { answeredOf, isToGiveOut, readWaitingState } from '../../store/markers/waiting-pages';
import type { DeliverySlice, Ended } from './slice';

/**
 * For a customer that collects its pages: takes over what it has confirmed since, and finds out whether it
 * asks for a page. A page that may still be given out stays as it is, with its epoch.
 * @returns why the slice ends here; undefined to lay a page out, or for a customer whose pages are posted
 */
export async function takeQuestion(slice: DeliverySlice): Promise<Ended | undefined> {
  const { process, input, delivery, session, tally } = slice;
  const { store } = process;
  const channel = await findChannel(store, input.channel, session);
  if (channel?.delivery !== 'pull') return undefined;
  if (channel.state === 'paused') return { end: 'paused' };
  const waiting = await readWaitingState(store, input.channel, input.entity_type);
  if (!waiting) return { end: 'uncollected' };
  if (waiting.done?.delivery === delivery) {
    const { pages, records, bytes } = waiting.done;
    tally.totals = { ...tally.totals, pages, records, bytes };
  }
  tally.asked = waiting.asks;
  const isAskedFor = waiting.asks > answeredOf(waiting) && !(await isToGiveOut(store, waiting, channel));
  return isAskedFor ? undefined : { end: 'uncollected' };
}
