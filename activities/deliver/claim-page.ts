import { msNow } from '../../domain/time/elapsed';
import { randomUUID } from 'node:crypto';
import type { Origin } from '../../outbound/send-page';
import type { EntityType } from '../../domain/records/entity-types';
import { type PageMeta, type PageWords, renderPage } from '../../domain/deliveries/render-page';
import { shownRecord } from '../../domain/records/shown-record';
import { type Channel, pageSizeOf } from '../../store/channels/channels';
import { claimChannel, getsPagesOf } from '../../store/channels/claim-channel';
import type { PageMove } from '../../store/markers/make-move';
import type { PageRecord } from '../../store/records/records';
import { isSelected, isSharedAt, type Selection } from '../../store/window/selection';
import type { ShownSelection } from '../selections';
import type { Cursor } from './cursor';
import type { DeliverySlice, Ended } from './slice';

/** What a page is part of: a window, or released records. */
export type PageContext = Pick<Cursor, 'fence' | 'account' | 'total' | 'channel'> & {
  number: number;
  /** Reads the next page while the customer answers. It never fails. */
  readNext?: ((answered: AbortSignal) => Promise<void>) | undefined;
  /** The words of ERPs that are true once it is confirmed. */
  wordsOf?: ((channel: Channel, selection: Selection) => Promise<PageWords | undefined>) | undefined;
  /** All changes of its confirmation, if the page may be collected. */
  moveOf?: (sent: PageRecord[], bytes: number) => PageMove;
};

/** A rendered page and everything that it was made with. */
export interface ClaimedPage {
  channel: Channel;
  selection: ShownSelection;
  sent: PageRecord[];
  /** The accounts of its records, where they are shared one by one. */
  accounts: string[];
  body: Buffer;
  origin: Origin;
}

/**
 * Reads the channel, and what is shared with it, again right before the page is given out, and renders what
 * may be sent.
 * @returns why the delivery ends here; undefined when nothing of the page is shared any more
 */
export async function claimPage(
  slice: DeliverySlice,
  page: PageContext,
  read: PageRecord[],
): Promise<ClaimedPage | Ended | undefined> {
  const { process, input, session } = slice;
  const channel = await claimChannel(process.store, input.channel, session);
  if (!getsPagesOf(channel, input.entity_type)) return getsNone(channel);
  if (pageSizeOf(channel, input.entity_type, msNow()) !== input.page_size) return { end: 'resized' };
  const selection = await process.selections(channel, input.entity_type, session);
  const sent = stillShared(page, selection, read);
  if (sent.length === 0) return undefined;
  const shown = sent.map((record) => shownTo(selection, input.entity_type, record));
  const [meta, origin] = [metaOf(slice, page, sent.length), originOf(slice, page, channel)];
  const accounts = accountsOf(selection, sent);
  const words = await page.wordsOf?.(channel, selection);
  return { channel, selection, sent, accounts, origin, body: renderPage(shown, meta, words) };
}

/** Why a channel that gets no pages ends its delivery. */
export const getsNone = (channel: Channel | null): Ended => ({
  end: channel?.state === 'paused' ? 'paused' : 'superseded',
});

function accountsOf(selection: ShownSelection, sent: PageRecord[]): string[] {
  if (!selection.shared) return [];
  const shared = sent.flatMap(({ account_ids, position }) =>
    account_ids.filter((account) => isSharedAt(selection, account, position)),
  );
  return [...new Set(shared)];
}

function originOf(
  { input, delivery }: DeliverySlice,
  { fence: { generation, epoch }, account }: PageContext,
  { shares_version: shares }: Channel,
): Origin {
  const requestId = input.request_id ?? randomUUID();
  return { requestId, delivery, entityType: input.entity_type, generation, epoch, account, shares };
}

/** Drops records that a farmer has stopped sharing, or whose grant has ended, since the page was read. */
function stillShared({ account }: PageContext, selection: Selection, page: PageRecord[]): PageRecord[] {
  const isShown = ({ position }: PageRecord) =>
    account === undefined || isSharedAt(selection, account, position);
  return page.filter((record) => isShown(record) && isSelected(selection, record));
}

/** A channel of scope `subscribed` sees only shared accounts, and no field that may name others. */
export function shownTo(selection: ShownSelection, type: EntityType, record: PageRecord): Buffer {
  const { shared, from, fields } = selection;
  if (!shared) return record.wire;
  const has = (account: string) => isSharedAt(selection, account, record.position);
  return shownRecord(type, record, { shared: from?.size ? { has } : shared, fields });
}

function metaOf({ input }: DeliverySlice, { number, total }: PageContext, records: number): PageMeta {
  return {
    current_page: number,
    page_count: records,
    page_size: input.page_size,
    total_count: total,
    total_pages: Math.ceil(total / input.page_size),
  };
}
