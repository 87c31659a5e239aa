import type { ClientSession } from 'mongodb';
import type { Agent } from 'undici';
import type { HostLimiter } from '../../outbound/host-limiter';
import type { DeliverInput, Totals, Unconfirmed } from '../../domain/deliveries/delivery';
import type { SetAside } from '../../store/deliveries/set-aside';
import type { Store } from '../../store/store';
import type { Selections } from '../selections';
import type { PageRecord } from '../../store/records/records';
import type { PageBudget, PageBudgets } from '../../outbound/page-budget';

export interface DeliverDeps {
  store: Store;
  agent: Agent;
  /** How long the report of a failed delivery is stored. */
  retentionDays: number;
  /** True once the process is asked to stop: the page in flight is finished, and no other is begun. */
  draining: () => boolean;
}

/** One call of `deliverPages`: it delivers a slice of a delivery's window. */
export interface DeliverySlice {
  /** Shared by all deliveries of the process. */
  process: DeliverDeps & { hosts: HostLimiter; budgets: PageBudgets; selections: Selections };
  input: DeliverInput;
  /** The delivery's id, which is its workflow id. */
  delivery: string;
  /** Causally consistent, so that no read is older than the reads before it. */
  session: ClientSession;
  signal: AbortSignal;
  show: (details: string) => void;
  tally: Tally;
}

/** What the slice has achieved so far. */
interface Tally {
  /** Totals of the delivery, earlier slices included. */
  totals: Totals;
  /** Totals of this slice alone. */
  pages: number;
  started: number;
  /** "200 in 84 ms" */
  last: string | null;
  /** The records of this slice's pages that are set aside, as they were when the page was made. */
  setAside: Map<string, Pick<SetAside, 'at' | 'released_at'>>;
  /** The accounts that are noted as sent in this slice. */
  noted: Set<string>;
  /** So many records, or more, have failed together and were confirmed in parts; none has been confirmed since. */
  tooLong?: number;
  /** How many questions the customer had asked when the slice began, if it collects its pages. */
  asked?: number;
  /**
   * How many accounts wait behind the others in this slice, as all their records were refused or the receiver
   * failed at them. The next slice does not know of them.
   */
  undecided: number;
}

/** A page that was not confirmed. `answer` and `request_id` go into the report, never into a workflow history. */
export interface NotConfirmed {
  end: 'unconfirmed';
  unconfirmed: Unconfirmed;
  answer: string;
  request_id: string;
  /** What of the page was still shared, and so was posted; missing where nothing was. */
  posted?: PageRecord[];
  /** The page may be too long (domain/deliveries/classify-answer.ts). */
  isCutOff?: boolean;
  /** The endpoint refused every record that was tried. */
  isEndpoint?: true;
}

/** Why the delivery of a window stops before its end. */
export type Ended =
  | { end: 'superseded' | 'resized' | 'paused' | 'more' | 'uncollected' }
  | { end: 'delivered'; more: true }
  | NotConfirmed;

/** The budget of bytes that the slice's pages share. */
export const budgetOf = ({ process: { budgets }, input }: DeliverySlice): PageBudget =>
  input.unanswered ? budgets.unanswered : budgets.answering;

// The limits of one slice. A million records, a thousand to a page, take about 20 activities.
const MAX_PAGES = 50;
const MAX_MS = { first: 10_000, further: 60_000 };

/**
 * Whether the slice has reached a limit, or will have after `more` pages. A later slice with undecided
 * accounts has no limits until a record is confirmed.
 */
export function isAtLimit(slice: DeliverySlice, more = 0): boolean {
  const { tally, process, input } = slice;
  if (tally.undecided && !input.first && !endpointWorks(slice)) return process.draining();
  const most = input.first ? MAX_MS.first : MAX_MS.further;
  return tally.pages + more >= MAX_PAGES || performance.now() - tally.started >= most || process.draining();
}

export const isInMainQueue = ({ input }: DeliverySlice): boolean => input.first && !input.unanswered;

/** Whether a search ends here. Only a first slice, in the main queue, keeps its limits: a search is slow. */
export const isSearchAtLimit = (slice: DeliverySlice): boolean =>
  isInMainQueue(slice) ? isAtLimit(slice) : slice.process.draining();

/** A record was confirmed in this delivery. A passed page does not prove it: all of it may be set aside. */
export const endpointWorks = ({ tally }: DeliverySlice) => tally.totals.records > 0;

/** What the run has spent on refused records. */
export function spentOf({ input, tally }: DeliverySlice): Pick<Totals, 'set_aside' | 'probes'> {
  const { set_aside = 0, probes = 0 } = input.spent ?? {};
  return { set_aside: set_aside + tally.totals.set_aside, probes: probes + tally.totals.probes };
}
