import type { PlannedWindow } from '../../domain/delivery';
import { type Channel, findChannel } from '../../store/channels/channels';
import type { Marker, Progress } from '../../store/markers/markers';
import type { Selection } from '../../store/window/selection';
import { openWindow, type Page, type WindowReader } from '../../store/window/window';
import type { PageLease } from './page-budget';
import type { DeliverySlice } from './slice';

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
  /** Whether the previous window came out short, and how many records beyond its end this one has taken. */
  wasShort: boolean;
  beyond: number;
  /** Other pages of the delivery were confirmed, so a refusal concerns the record and not the endpoint. */
  endpointWorks: boolean;
  /** The page after the one in flight; none once that one was not confirmed as it was sent. */
  ahead?: PageAhead;
}

/** A page that was read while the customer answered the one before, with its share of the budget of bytes. */
export interface PageAhead {
  page: Page;
  lease: PageLease;
}

/**
 * Begins where the marker is. The caller has taken the marker's epoch already, so nothing that is read from here on,
 * the shared accounts above all, is older than the epoch. @returns undefined when the channel is gone
 */
export async function openCursor(
  slice: DeliverySlice,
  marker: Marker,
  {
    read,
    endpointWorks = false,
    ...window
  }: Pick<Cursor, 'to' | 'total' | 'account' | 'progress'> &
    Pick<PlannedWindow, 'read'> & { endpointWorks?: boolean },
): Promise<Cursor | undefined> {
  const { process, input, session, signal } = slice;
  const channel = await findChannel(process.store, input.channel, session);
  if (!channel) return undefined;
  const { _id: id, generation, epoch, position: at, short: wasShort = false } = marker;
  const selection: Selection = window.account
    ? { companies: channel.companies, shared: new Set([window.account]) }
    : await process.selections(channel, input.entity_type, session);
  const reader = openWindow(process.store, input.entity_type, {
    window: { after: at, upTo: window.to },
    selection,
    read,
    session,
    signal,
    span: spanOf(input),
  });
  return {
    ...window,
    fence: { id, generation, epoch },
    reader,
    channel,
    at,
    wasShort,
    beyond: 0,
    endpointWorks,
  };
}

/** Twice the positions that a page takes on average, as gaps and changed records are spread unevenly. */
function spanOf({ from, to, records, page_size }: DeliverySlice['input']): number {
  return Math.ceil((2 * page_size * (to - from)) / Math.max(1, records));
}
