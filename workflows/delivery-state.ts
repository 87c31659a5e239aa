import type { CancellationScope } from '@temporalio/workflow';
import { type DeliveryRequest, NOTHING_YET, type Totals } from '../domain/deliveries/delivery';

/** What a delivery's workflow is started with. */
export interface DeliveryInput extends DeliveryRequest {
  channel_name: string;
  cadence_ms: number;
  /** What earlier deliveries of the run have spent on refused records. */
  spent: Pick<Totals, 'set_aside' | 'probes'>;
  /** Carried over by continue-as-new. */
  so_far?: DeliveryState;
}

/** A delivery's progress and its customer's answers. Times are milliseconds since 1970. */
export interface DeliveryState {
  started: number;
  totals: Totals;
  /** Calls of `deliverPages` so far. */
  calls: number;
  /** Answers that did not confirm a page: all of them, and those since the last confirmed page. */
  unconfirmed: number;
  in_a_row: number;
  /** When the first of those in a row came. */
  failing_since: number;
  /** The last attempt got no answer. */
  unanswered: boolean;
  /** The last slice ended as `uncollected`: the customer has to collect a page, or ask for one. */
  collecting?: boolean;
  /** The channel was told that the customer does not collect its page. */
  uncollected?: boolean;
}

/** The signals that this delivery has received. */
export interface DeliverySignals {
  tryNow: boolean;
  overtaken: boolean;
  handBack: boolean;
  /** The slice in progress, which a reset cancels. */
  slice?: CancellationScope;
}

export const newState = ({ unanswered }: DeliveryInput, now: number): DeliveryState => ({
  started: now,
  totals: NOTHING_YET,
  calls: 0,
  unconfirmed: 0,
  in_a_row: 0,
  failing_since: 0,
  unanswered,
});
