import { NOTHING_YET, type Totals } from '../domain/totals';
import type { PlannedWindow } from '../activities/plan-run';
import type { Trigger } from './messages';

/** One window to deliver. */
export interface DeliveryInput extends PlannedWindow {
  channel: string;
  channel_name: string;
  cadence_ms: number;
  page_size: number;
  run: number;
  trigger: Trigger;
  /** Carried on when the history grows long. */
  so_far?: DeliveryState;
}

/** How far a delivery has come, and how its customer has answered. Times are milliseconds since 1970. */
export interface DeliveryState {
  started: number;
  totals: Totals;
  /** How many activities have had their share of it. */
  shares: number;
  /** Answers that did not confirm a page: all of them, and those since the last confirmed page. */
  unconfirmed: number;
  in_a_row: number;
  /** When the first of those in a row came. */
  trouble_since: number;
}

export const newState = (now: number): DeliveryState => ({
  started: now,
  totals: NOTHING_YET,
  shares: 0,
  unconfirmed: 0,
  in_a_row: 0,
  trouble_since: 0,
});
