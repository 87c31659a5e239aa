import type { Counted } from '../../domain/deliveries/lateness';
import type { Channel } from '../../store/channels/channels';
import type { Progress } from '../../store/markers/markers';
import type { ErpWords } from '../../store/push/erp-words';
import type { Page, WindowReader } from '../../store/window/window';
import type { PageLease } from '../../outbound/page-budget';

/** One marker's window, and how far this slice has come in it. Only `confirmPage` moves it. */
export interface Cursor {
  /** The marker's id, the generation it was planned with, and the epoch that lets this slice move it. */
  fence: { id: string; generation: number; epoch: number };
  /** The account of a catch-up. */
  account?: string;
  to: number;
  /** The `total_count` of its pages. */
  total: number;
  reader: WindowReader;
  /** The channel as it was when the window was opened. */
  channel: Channel;
  /** Every record of the channel up to this position is confirmed or set aside. */
  at: number;
  progress: Progress;
  /** Only of the channel's own window: which records count as changes, and how late earlier changes were. */
  changes?: Counted;
  /** Only of the channel's own window: what ERPs have said above its beginning. */
  words?: ErpWords[];
  /** Whether the window before held fewer records than planned, and how many records beyond its end this one has taken. */
  wasShort: boolean;
  beyond: number;
  /** The page after the one in flight; dropped unless that one is confirmed whole. */
  ahead?: PageAhead;
}

/** A page that was read while the customer answered the one before, with its share of the budget of bytes. */
export interface PageAhead {
  page: Page;
  lease: PageLease;
}
