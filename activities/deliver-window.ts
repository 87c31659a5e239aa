import type { ClientSession } from 'mongodb';
import { progressLine } from '../domain/progress-line';
import { findChannel } from '../store/channels';
import type { Totals } from '../domain/totals';
import { readCeiling } from '../store/counters';
import { beginAttempt, type Marker, markerId, noteShort } from '../store/markers';
import { deliverPage, type PageAttempt, type PageDeps, type Place, type Said } from './deliver-page';
import type { DeliverDeps, DeliverInput, WindowEnd } from './deliver-pages';

// One activity posts this much and hands back, so that a million records cost about 20 activities (design 3).
const PAGES_AT_ONCE = 50;
const MS_AT_ONCE = { first: 10_000, further: 60_000 };

/** What one activity is about, and how far it has come. */
export interface DeliveryRun extends DeliverDeps, PageDeps {
  input: DeliverInput;
  /** The delivery's id, which is its workflow's. */
  delivery: string;
  session: ClientSession;
  show: (details: string) => void;
  signal: AbortSignal;
  totals: Totals;
  last: string | null;
  /** Of the last page that was not confirmed. */
  said: Said;
  aside: Map<string, Date>;
  posted: number;
  started: number;
}

/** The channel's own window of one entity type. */
export async function deliverOwnWindow(run: DeliveryRun): Promise<WindowEnd> {
  const { store, input } = run;
  const id = markerId(input.channel, input.entity_type);
  const begun = await beginAttempt(store, id, input.generation, run.session);
  if (!begun) return { end: 'superseded' };
  const marker = { ...begun, generation: input.generation };
  // Every retry, by whichever worker, goes on where the marker says.
  if (marker.progress?.delivery === run.delivery) {
    const { pages, records, bytes } = marker.progress;
    run.totals = { ...run.totals, pages, records, bytes };
  }
  const end = await deliverWindow(run, marker, { to: input.to, total: input.records });
  return end.end === 'delivered' ? followMoved(run, marker) : end;
}

/**
 * A record changed since the plan belongs to the next run (contract 3). One that changes all the time would so move out
 * of every window: when a window comes out short for the second time in a row, or empty, its run follows once.
 */
async function followMoved(run: DeliveryRun, marker: Marker): Promise<WindowEnd> {
  const { store, input, session, totals } = run;
  // Followed already, or long overtaken.
  if (marker.position > input.to) return { end: 'delivered' };
  const moved = input.records - totals.records - totals.set_aside;
  const isShort = moved > 0;
  if (isShort !== (marker.short ?? false)) await noteShort(store, marker._id, isShort);
  if (!isShort || (!marker.short && totals.records > 0)) return { end: 'delivered' };
  // Read before the records are, in the same session: everything up to it is committed (commit-order 2).
  const to = await readCeiling(store, input.entity_type, session);
  const limit = Math.min(moved, input.page_size);
  return deliverWindow(run, { ...marker, position: input.to }, { to, total: input.records, limit });
}

/** One marker's window, from where the marker is. */
export async function deliverWindow(
  run: DeliveryRun,
  marker: Marker,
  window: PageAttempt['window'],
): Promise<WindowEnd> {
  const channel = await findChannel(run.store, run.input.channel, run.session);
  if (!channel) return { end: 'superseded' };
  const { _id: id, generation, epoch } = marker;
  // A search for refused records may take many slow answers: not in the queue that everybody's first part waits in.
  const isOver = () => (run.input.first ? isSpent(run) : run.draining());
  const attempt: PageAttempt = { ...run, window, fence: { id, generation, epoch }, isOver };
  let place: Place = { at: marker.position, progress: progressOf(run, marker, window), channel, last: null };
  run.show(progressLine(run.input, run.totals, run.last));
  while (place.at < window.to) {
    if (isSpent(run)) return { end: 'more' };
    const step = await deliverPage(attempt, place);
    if ('stopped' in step) return { end: step.stopped };
    if ('unconfirmed' in step) {
      run.said = step;
      return { end: 'unconfirmed', unconfirmed: step.unconfirmed };
    }
    place = step;
    run.posted += 1;
    run.last = place.last ?? run.last;
    run.show(progressLine(run.input, run.totals, run.last));
    if (window.limit) break;
  }
  return { end: 'delivered' };
}

export function isSpent({ posted, started, draining, input }: DeliveryRun): boolean {
  const most = input.first ? MS_AT_ONCE.first : MS_AT_ONCE.further;
  return posted >= PAGES_AT_ONCE || Date.now() - started >= most || draining();
}

// A catch-up keeps its pages' numbers whichever delivery they come in; the channel's own window is counted anew.
function progressOf({ delivery, totals }: DeliveryRun, marker: Marker, window: PageAttempt['window']) {
  if (window.account === undefined) return { delivery, ...totals };
  return { ...(marker.progress ?? { pages: 0, records: 0, bytes: 0 }), delivery };
}
