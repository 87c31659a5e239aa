import type { ClientSession } from 'mongodb';
import type { EntityType } from '../domain/entity-types';
import { progressLine } from '../domain/progress-line';
import { readCeiling } from '../store/counters';
import {
  type DeliveryStart,
  type FailedAttempt,
  openDelivery,
  reportProgress,
  type Totals,
} from '../store/deliveries';
import { beginAttempt, type Marker, markerId, type Progress } from '../store/markers';
import type { Trigger } from '../workflows/messages';
import { currentDelivery } from './current-delivery';
import { deliverPage, type PageAttempt, type PageDeps, type Unconfirmed } from './deliver-page';
import { withHeartbeat } from './with-heartbeat';

// One activity posts this much and hands back, so that a million records cost about 20 activities (design 3).
const PAGES_AT_ONCE = 50;
const MS_AT_ONCE = 60_000;

export interface DeliverInput {
  channel: string;
  entity_type: EntityType;
  run: number;
  trigger: Trigger;
  generation: number;
  from: number;
  to: number;
  records: number;
  page_size: number;
}

/** `more`: this activity's share is done, the window is not. */
type End = 'delivered' | 'more' | 'superseded' | 'resized' | 'paused';

export type DeliverResult = {
  totals: Totals;
  /** The last answer, for the operator: "200 in 84 ms". */
  last: string | null;
} & ({ end: End; unconfirmed?: undefined } | { end: 'unconfirmed'; unconfirmed: Unconfirmed });

export interface DeliverDeps extends PageDeps {
  /** How long the report of a delivery is kept. */
  retentionDays: number;
  /** True once the process is asked to stop: the page in flight is finished, the next one handed back. */
  draining: () => boolean;
}

interface Running {
  /** The delivery's id, which is its workflow's. */
  delivery: string;
  runId: string;
  session: ClientSession;
  show: (details: string) => void;
  signal: AbortSignal;
}

/** A read answered with less than the planner had already seen; a later try reads further (commit-order 2). */
class StaleRead extends Error {
  override name = 'StaleRead';
}

/**
 * Delivers pages of one window until it is done, 50 pages or a minute are, or something stops it. The marker moves
 * after each confirmed page, and a retry starts from the marker (commit-order 3).
 */
export function createDeliverPages(deps: DeliverDeps) {
  return async function deliverPages(input: DeliverInput): Promise<DeliverResult> {
    return withHeartbeat((show, signal) =>
      deps.store.client.withSession({ causalConsistency: true }, (session) =>
        deliver(deps, input, { ...currentDelivery(), session, show, signal }),
      ),
    );
  };
}

async function deliver(deps: DeliverDeps, input: DeliverInput, run: Running): Promise<DeliverResult> {
  const { store } = deps;
  const ceiling = await readCeiling(store, input.entity_type, run.session);
  if (ceiling < input.to) throw new StaleRead(`the ceiling was ${input.to} and now reads ${ceiling}`);
  const marker = await beginAttempt(store, markerId(input.channel, input.entity_type), input.generation);
  await openDelivery(store, reportOf(input, run), deps.retentionDays);
  const progress = resume(marker, run.delivery);
  if (!marker) return { end: 'superseded', totals: totalsOf(progress), last: null };
  const result = await deliverFrom(deps, input, run, marker, progress);
  await reportProgress(store, run.delivery, result.totals, failedAttempt(result));
  return result;
}

async function deliverFrom(
  deps: DeliverDeps,
  input: DeliverInput,
  { delivery, session, show, signal }: Running,
  marker: Marker,
  progress: Progress,
): Promise<DeliverResult> {
  const fence = { id: marker._id, epoch: marker.epoch };
  const attempt: PageAttempt = { ...deps, input, delivery, session, signal, fence };
  const until = Date.now() + MS_AT_ONCE;
  let last: string | null = null;
  let at = marker.position;
  const end = <How extends string>(how: How) => ({ end: how, totals: totalsOf(progress), last });
  for (let posted = 0; at < input.to; posted++) {
    if (posted === PAGES_AT_ONCE || Date.now() >= until || deps.draining()) return end('more');
    const step = await deliverPage(attempt, at, progress);
    if ('stopped' in step) return end(step.stopped);
    if ('unconfirmed' in step) return { ...end('unconfirmed'), unconfirmed: step.unconfirmed };
    ({ at, progress, last } = step);
    show(progressLine(input, progress, last));
  }
  return end('delivered');
}

/** Every retry of the activity, by whichever worker, goes on where the marker says. */
function resume(marker: Marker | null, delivery: string): Progress {
  return marker?.progress?.delivery === delivery
    ? marker.progress
    : { delivery, pages: 0, records: 0, bytes: 0 };
}

function reportOf(input: DeliverInput, { delivery, runId }: Running): DeliveryStart {
  const { channel, entity_type, run, trigger, from, to } = input;
  return { _id: delivery, channel, entity_type, run, trigger, from, to, workflow_run_id: runId };
}

const totalsOf = ({ pages, records, bytes }: Progress): Totals => ({ pages, records, bytes });

function failedAttempt({ unconfirmed }: DeliverResult): FailedAttempt | undefined {
  if (!unconfirmed) return undefined;
  const { failure, status, reason } = unconfirmed;
  return { at: new Date(), failure, status, reason };
}
