import type { ClientSession } from 'mongodb';
import { progressLine } from '../domain/progress-line';
import { findChannel } from '../store/channels';
import type { Totals } from '../store/deliveries';
import { beginAttempt, type Marker, markerId } from '../store/markers';
import { deliverPage, type PageAttempt, type PageDeps, type Place } from './deliver-page';
import type { DeliverDeps, DeliverInput, WindowEnd } from './deliver-pages';

// One activity posts this much and hands back, so that a million records cost about 20 activities (design 3).
const PAGES_AT_ONCE = 50;
const MS_AT_ONCE = 60_000;

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
  /** What the customer said to the page that it did not confirm. */
  answer: string;
  posted: number;
  started: number;
}

/** The channel's own window of one entity type. */
export async function deliverOwnWindow(run: DeliveryRun): Promise<WindowEnd> {
  const { store, input } = run;
  const marker = await beginAttempt(store, markerId(input.channel, input.entity_type), input.generation);
  if (!marker) return { end: 'superseded' };
  // Every retry, by whichever worker, goes on where the marker says.
  if (marker.progress?.delivery === run.delivery) {
    const { pages, records, bytes } = marker.progress;
    run.totals = { pages, records, bytes };
  }
  return deliverWindow(
    run,
    { ...marker, generation: input.generation },
    { to: input.to, total: input.records },
  );
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
  const attempt: PageAttempt = { ...run, window, fence: { id, generation, epoch } };
  let place: Place = { at: marker.position, progress: progressOf(run, marker, window), channel, last: null };
  while (place.at < window.to) {
    if (isSpent(run)) return { end: 'more' };
    const step = await deliverPage(attempt, place);
    if ('stopped' in step) return { end: step.stopped };
    if ('unconfirmed' in step) {
      run.answer = step.answer;
      return { end: 'unconfirmed', unconfirmed: step.unconfirmed };
    }
    count(run, place, step);
    place = step;
  }
  return { end: 'delivered' };
}

export const isSpent = ({ posted, started, draining }: DeliveryRun) =>
  posted >= PAGES_AT_ONCE || Date.now() - started >= MS_AT_ONCE || draining();

function count(run: DeliveryRun, before: Place, { progress, last }: Place): void {
  run.totals.pages += progress.pages - before.progress.pages;
  run.totals.records += progress.records - before.progress.records;
  run.totals.bytes += progress.bytes - before.progress.bytes;
  run.posted += 1;
  run.last = last ?? run.last;
  run.show(progressLine(run.input, run.totals, run.last));
}

// A catch-up keeps its pages' numbers whichever delivery they come in; the channel's own window is counted anew.
function progressOf({ delivery, totals }: DeliveryRun, marker: Marker, window: PageAttempt['window']) {
  if (window.account === undefined) return { delivery, ...totals };
  return { ...(marker.progress ?? { pages: 0, records: 0, bytes: 0 }), delivery };
}
