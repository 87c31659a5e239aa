import { timeIn, timeNow } from '../../domain/time/elapsed';
import { HostLimiter } from '../../outbound/host-limiter';
import { createPageBudgets, type PageBudgets } from '../../outbound/page-budget';
import type { DeliverInput, DeliverResult } from '../../domain/deliveries/delivery';
import { findChannel } from '../../store/channels/channels';
import { getsPagesOf } from '../../store/channels/claim-channel';
import { openDeliveryReport, reportProgress } from '../../store/deliveries/deliveries';
import { markerId, noteUnconfirmed } from '../../store/markers/markers';
import { answeredOf, isToGiveOut, readWaitingState } from '../../store/markers/waiting-pages';
import { readCeiling } from '../../store/records/counters';
import { currentDelivery, withHeartbeat } from '../current-delivery';
import { createSelections } from '../selections';
import { getsNone } from './claim-page';
import { deliverCatchUps } from './deliver-catch-ups';
import { deliverOwnWindow } from './deliver-window';
import type { DeliverDeps, DeliverySlice, Ended } from './slice';

/** A read is older than the plan's reads. Temporal retries the activity. */
class StaleRead extends Error {
  override name = 'StaleRead';
}

/**
 * Delivers pages of one window until the window ends, a limit of the slice is reached or something stops the delivery. The
 * marker moves after each confirmed page, and a retry starts from the marker.
 */
export function createDeliverPages(deps: DeliverDeps, budgets: PageBudgets = createPageBudgets()) {
  const shared = { ...deps, hosts: new HostLimiter(), budgets, selections: createSelections(deps.store) };
  return async function deliverPages(input: DeliverInput): Promise<DeliverResult> {
    const { delivery, runId } = currentDelivery();
    const { store, retentionDays } = deps;
    return withHeartbeat((show, signal) =>
      store.client.withSession({ causalConsistency: true }, async (session) => {
        const ceiling = await readCeiling(store, input.entity_type, session);
        if (ceiling < input.to) throw new StaleRead(`the ceiling was ${input.to} and now reads ${ceiling}`);
        await openDeliveryReport(store, { _id: delivery, workflow_run_id: runId, ...input }, retentionDays);
        const tally = {
          totals: { ...input.done },
          pages: 0,
          started: performance.now(),
          last: null,
          setAside: new Map(),
          undecided: 0,
          noted: new Set<string>(),
        };
        const slice: DeliverySlice = { process: shared, input, delivery, session, signal, show, tally };
        const deliver = input.catch_up ? deliverCatchUps : deliverOwnWindow;
        return report(slice, (await takeQuestion(slice)) ?? (await deliver(slice)));
      }),
    );
  };
}

/**
 * For a customer that collects its pages: takes over what it has confirmed since the last slice, and finds out whether it
 * asks for a page. A page that may still be given out stays as it is, with its epoch.
 * @returns why the slice ends here; undefined to lay a page out, or for a customer whose pages are posted
 */
async function takeQuestion(slice: DeliverySlice): Promise<Ended | undefined> {
  const { process, input, delivery, session, tally } = slice;
  const { store } = process;
  const channel = await findChannel(store, input.channel, session);
  if (channel?.delivery !== 'pull') return undefined;
  if (!getsPagesOf(channel, input.entity_type)) return getsNone(channel);
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

async function report(
  { process: { store }, input, delivery, tally }: DeliverySlice,
  ended: Ended | undefined,
): Promise<DeliverResult> {
  const { totals, last } = tally;
  const own = markerId(input.channel, input.entity_type);
  if (ended?.end !== 'unconfirmed') {
    if (input.unanswered) await noteUnconfirmed(store, own, { unanswered: false });
    await reportProgress(store, delivery, totals);
    return { end: 'delivered', ...ended, totals, last };
  }
  const { unconfirmed, answer, request_id } = ended;
  const { retry_after_ms: asked, failure, status, reason } = unconfirmed;
  const notBefore = asked === null ? undefined : timeIn(asked);
  // The lateness of changes concerns the channel's own window (docs/contract.md O26), which waits as well where the customer
  // asks for it.
  const isHeld = !input.catch_up || notBefore !== undefined;
  await noteUnconfirmed(store, own, {
    unanswered: status === null,
    ...(notBefore && { not_before: notBefore }),
    ...(isHeld && { held_until: notBefore ?? timeNow() }),
  });
  const failed = { at: timeNow(), failure, status, reason, answer, request_id };
  await reportProgress(store, delivery, totals, failed);
  return { end: 'unconfirmed', unconfirmed, totals, last };
}
