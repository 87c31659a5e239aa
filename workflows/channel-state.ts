import { nextDue } from '../domain/deliveries/cadence';
import { ENTITY_TYPES } from '../domain/records/entity-types';
import { formatInstant } from '../domain/time/instants';
import { isReady, carryLane, type Lane, openLane, requestAgain, requestRun } from './lane';
import type { ChannelFeedInput, FeedHealth, PlanShown } from './messages';

/** The state of a channel's workflow. */
export interface ChannelState {
  readonly slug: string;
  /** When the next run is due, milliseconds since 1970; infinite while the cadence is not known. */
  due: number;
  /** One for each entity type, in the order of delivery. */
  readonly lanes: Lane[];
  plan: PlanShown | undefined;
  health: FeedHealth | undefined;
  /** A plan is in flight. */
  planning: boolean;
}

export function openChannel({ slug, due, lanes = [], shown, health }: ChannelFeedInput): ChannelState {
  return {
    slug,
    due: due === undefined ? 0 : Date.parse(due),
    lanes: ENTITY_TYPES.map((type) =>
      openLane(
        type,
        lanes.find(({ entity_type }) => entity_type === type),
      ),
    ),
    plan: shown,
    health,
    planning: false,
  };
}

/** The input of the next run of this workflow (continue-as-new). */
export function carryChannel({ slug, due, lanes, plan, health }: ChannelState): ChannelFeedInput {
  return {
    slug,
    lanes: lanes.map(carryLane),
    ...(Number.isFinite(due) && { due: formatInstant(due) }),
    ...(plan && { shown: plan }),
    ...(health && { health }),
  };
}

/** At a due time every lane is requested, idle or busy. At the end of a Retry-After its lane is. */
export function requestDueRuns(channel: ChannelState, now: number): void {
  const { slug, lanes, plan } = channel;
  if (channel.due <= now) {
    for (const lane of lanes) {
      requestRun(lane, { trigger: 'schedule' });
      requestAgain(lane, lane.failed);
      lane.failed = undefined;
    }
    channel.due = plan ? nextDue(slug, plan.cadence_ms, now) : Infinity;
  }
  for (const lane of lanes) {
    if (lane.held_until === undefined || lane.held_until > now) continue;
    lane.held_until = undefined;
    requestRun(lane, { trigger: 'schedule' });
  }
}

/** When the next lane is due without a signal. */
export function nextDueTime({ due, lanes }: ChannelState): number {
  return Math.min(due, ...lanes.map(({ held_until }) => held_until ?? Infinity));
}

export const isAnyReady = ({ lanes }: ChannelState) => lanes.some(isReady);

export const isAnyBusy = ({ lanes }: ChannelState) => lanes.some(({ busy }) => busy);
