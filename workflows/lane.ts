import { type DeliveryEnd, type PlannedWindow, TRIGGERS } from '../domain/deliveries/delivery';
import type { EntityType } from '../domain/records/entity-types';
import { formatInstant } from '../domain/time/instants';
import type { LaneView } from '../domain/deliveries/lane';
import type { CarriedLane, LastDelivery, PlanShown, RunRequest } from './messages';

/**
 * One entity type of a channel. Signal handlers only set state here; the channel's loop and the lane's work act on
 * it.
 */
export interface Lane {
  readonly entity_type: EntityType;
  /** The request that is not planned yet; `wake` in a history. */
  pending: RunRequest | undefined;
  /** The request whose plan failed. It is made again when the channel is due next. */
  failed: RunRequest | undefined;
  /** The customer asked to wait until then (Retry-After). */
  held_until: number | undefined;
  /** A plan for it is being delivered. */
  busy: boolean;
  /** The open delivery. */
  open: OpenDelivery | undefined;
  last: LastDelivery | undefined;
  last_catch_up: LastDelivery | undefined;
}

export interface OpenDelivery {
  id: string;
  /** "6,512 records" */
  what: string;
  /** "Acme answered 503", while its customer does not confirm. */
  stalled: string | undefined;
  /** When the customer is tried next, if the delivery has said so. */
  until: string | undefined;
  /** Signals that are not sent yet. */
  pendingSignals: Set<DeliverySignal>;
}

export type DeliverySignal = 'tryNow' | 'overtaken' | 'handBack';

/** What a lane does after one of its deliveries has ended. */
type NextStep = { go_on: boolean; request?: RunRequest; held_until?: number };

export function openLane(entity_type: EntityType, carried: CarriedLane | undefined): Lane {
  const { wake: pending, held_until, last, last_catch_up } = carried ?? {};
  return {
    entity_type,
    pending,
    failed: undefined,
    held_until: held_until === undefined ? undefined : Date.parse(held_until),
    busy: false,
    open: undefined,
    last,
    last_catch_up,
  };
}

export function carryLane(lane: Lane): CarriedLane {
  const { entity_type, pending, failed, held_until, last, last_catch_up } = lane;
  const wake = strongerOf(pending, failed);
  return {
    entity_type,
    ...(wake && { wake }),
    ...(held_until !== undefined && { held_until: formatInstant(held_until) }),
    ...(last && { last }),
    ...(last_catch_up && { last_catch_up }),
  };
}

const strength = ({ trigger }: RunRequest) => TRIGGERS.indexOf(trigger);

/** A weaker request never replaces a stronger one. Of two equal ones the newer stays. */
function strongerOf(newer: RunRequest | undefined, older: RunRequest | undefined): RunRequest | undefined {
  return !newer || (older && strength(older) > strength(newer)) ? older : newer;
}

export function requestRun(lane: Lane, request: RunRequest): void {
  lane.pending = strongerOf(request, lane.pending);
}

/** The same for a request that was planned before, which is older than the pending one. */
export function requestAgain(lane: Lane, request: RunRequest | undefined): void {
  lane.pending = strongerOf(lane.pending, request);
}

export function noteFailedPlan(lane: Lane, request: RunRequest): void {
  lane.failed = strongerOf(request, lane.failed);
}

/**
 * The request for what a delivery has left. Once an unfinished delivery has made an attempt, the rest no
 * longer counts as `deliver now`: that cuts short only waits that the customer asked for before.
 */
export function leftOf(
  request: RunRequest,
  { end, answered }: { end: DeliveryEnd; answered?: boolean },
): RunRequest {
  const isDone = request.trigger === 'deliver-now' && answered && end !== 'delivered';
  return isDone ? { ...request, trigger: 'settings' } : request;
}

/** Only an operator's `deliver now` overrides a customer's Retry-After. */
export const isReady = ({ busy, pending, held_until }: Lane) =>
  !busy && pending !== undefined && (held_until === undefined || pending.trigger === 'deliver-now');

/**
 * Decides, after a window has ended, whether the lane's next window is delivered, and when the type is
 * planned again. After a failure the lane waits for the next due time, unless records were refused, which
 * says nothing of others.
 */
export function afterDelivery(
  window: PlannedWindow,
  request: RunRequest,
  ended: {
    end: DeliveryEnd;
    more?: true | undefined;
    failure?: string;
    not_before?: number | undefined;
  },
): NextStep {
  switch (ended.end) {
    case 'delivered':
      return window.more || ended.more ? { go_on: true, request } : { go_on: true };
    case 'resized':
      return { go_on: false, request: { ...request, trigger: 'settings' } };
    case 'superseded':
    case 'handed_back':
      return { go_on: false, request };
    case 'paused':
      return { go_on: false };
    case 'failed':
      return {
        go_on: ended.failure === 'refused',
        ...(ended.not_before !== undefined && { held_until: ended.not_before }),
      };
  }
}

/** @param channel.due when the channel is due next, milliseconds since 1970 */
export function viewLane(lane: Lane, { due, plan }: { due: number; plan: PlanShown | undefined }): LaneView {
  const { entity_type, busy, open, held_until } = lane;
  if (plan?.state === 'paused') return { entity_type, state: 'paused', until: null, why: null };
  if (open?.stalled) return { entity_type, state: 'waiting', until: open.until ?? null, why: open.stalled };
  if (busy) return { entity_type, state: 'delivering', until: null, why: open?.what ?? null };
  if (held_until !== undefined)
    return { entity_type, state: 'held', until: formatInstant(held_until), why: null };
  return { entity_type, state: 'idle', until: Number.isFinite(due) ? formatInstant(due) : null, why: null };
}
