import type { Verdict } from './classify-answer';
import type { EntityType } from '../records/entity-types';

// The types that planning, delivering and reporting share. They pass through Temporal, so they hold only counts,
// positions and ids.

/** Why a run started, strongest last: a weaker one never replaces a stronger one. */
export const TRIGGERS = ['schedule', 'subscriptions', 'settings', 'pull', 'reset', 'deliver-now'] as const;
export type Trigger = (typeof TRIGGERS)[number];

/** What a delivery has achieved so far. */
export interface Totals {
  pages: number;
  records: number;
  bytes: number;
  /** Records that the customer refused one by one, and the requests spent on finding them. */
  set_aside: number;
  probes: number;
}

export const NOTHING_YET: Readonly<Totals> = { pages: 0, records: 0, bytes: 0, set_aside: 0, probes: 0 };

/** A window that holds records: positions above `from`, up to and including `to`. */
export interface PlannedWindow {
  entity_type: EntityType;
  /** True for the catch-ups of newly granted accounts and the released records; false for the channel's own window. */
  catch_up: boolean;
  generation: number;
  from: number;
  to: number;
  records: number;
  /** How pages are read: all records of a range of positions, or only the positions of the channel's records. */
  read: 'range' | 'positions';
  /** The window is full; another delivery follows at once. */
  more: boolean;
  /** The last attempt got no answer. */
  unanswered: boolean;
  /** Missing where an earlier release has planned it. */
  page_size?: number;
}

/** A window to deliver, with its reason. */
export interface DeliveryRequest extends PlannedWindow {
  channel: string;
  run: number;
  trigger: Trigger;
  page_size: number;
  /** The X-Request-ID of the request that caused it, if a request did. */
  request_id?: string;
  /** The part of the run's budget for refused records that earlier deliveries have used. */
  spent?: Pick<Totals, 'set_aside' | 'probes'>;
}

/** The input of one `deliverPages` call. */
export interface DeliverInput extends DeliveryRequest {
  /** The totals of earlier calls of this delivery. */
  done: Totals;
  /** This is the delivery's first slice. It is shorter; later slices use a task queue of their own. */
  first: boolean;
}

/** Why a page was not confirmed; `status` is null without an answer. */
export type Unconfirmed = Verdict & { status: number | null; retry_after_ms: number | null };

/**
 * `more`: the slice has ended before the window. `uncollected`: a page waits for the customer's question or
 * confirmation.
 */
type WindowEnd =
  | {
      end: 'delivered' | 'more' | 'uncollected' | 'superseded' | 'resized' | 'paused';
      unconfirmed?: undefined;
    }
  | { end: 'unconfirmed'; unconfirmed: Unconfirmed };

export type DeliverResult = WindowEnd & {
  totals: Totals;
  /** The whole window is delivered, and new records have arrived since: the type is planned again at once. */
  more?: true;
  /** The last answer, for the operator: "200 in 84 ms". */
  last: string | null;
};

/**
 * How a delivery ended. `handed_back`: the channel asked for it before continuing as new; another delivery sends the
 * rest at once.
 */
export type DeliveryEnd = 'delivered' | 'superseded' | 'resized' | 'paused' | 'handed_back' | 'failed';

/** How a delivery ended, for its report. */
export interface Outcome extends Pick<
  DeliveryRequest,
  'channel' | 'entity_type' | 'catch_up' | 'run' | 'trigger' | 'from' | 'to'
> {
  /** The X-Request-ID of the request that caused it, such as a customer's reset. */
  request_id: string | null;
  status: 'delivered' | 'failed' | 'superseded' | 'resized';
  /** The customer's failure class, or `infrastructure` for our own failure. */
  failure: string | null;
  failure_message: string | null;
  totals: Totals;
  /** POSTs of whole pages. */
  attempts: number;
  duration_ms: number;
}

/** A row of the operator's table: one entity type's marker at the time of the plan. */
export interface MarkerSummary {
  entity_type: EntityType;
  confirmed_to: string | null;
  delivered_at: string | null;
}

/** The plan of one run: the windows of the idle entity types. */
export type RunPlan =
  | { state: 'gone' }
  | (OfChannel & { state: 'paused'; reason: string })
  | (OfChannel & {
      state: 'active';
      /** Of windows that do not say. */
      page_size: number;
      run: number;
      /** In the order of delivery; per entity type, the channel's own window before catch-ups. */
      windows: PlannedWindow[];
      /**
       * The entity types that a customer's Retry-After holds back, with the time left. A length of time, because
       * workers' clocks differ.
       */
      held: { entity_type: EntityType; left_ms: number }[];
    });

interface OfChannel {
  name: string;
  cadence_ms: number;
  /** Its customer collects the pages. */
  collects?: boolean;
  markers: MarkerSummary[];
}
