import { randomUUID } from 'node:crypto';
import type { Origin } from '../../customer/send-page';
import type { EntityType } from '../../domain/entity-types';
import { type PageMeta, renderPage } from '../../domain/render-page';
import { shownRecord } from '../../domain/shown-record';
import { type Channel, findChannel, pageSizeOf } from '../../store/channels/channels';
import type { PageMove } from '../../store/markers/make-move';
import type { PageRecord } from '../../store/records/records';
import { isSelected, isSharedAt, type Selection } from '../../store/window/selection';
import type { ShownSelection } from '../selections';
import type { Cursor } from './cursor';
import type { DeliverySlice, Ended } from './slice';

/** What a page is made for: a window, or released records. */
export type PageContext = Pick<Cursor, 'fence' | 'account' | 'total' | 'channel'> & {
  number: number;
  /** Done while the customer answers; it never fails. */
  readNext?: ((answered: AbortSignal) => Promise<void>) | undefined;
  /** What its confirmation changes, where it may be collected. */
  moveOf?: (sent: PageRecord[], bytes: number) => PageMove;
};

/** A page in flight, and what it was made with. */
export interface ClaimedPage {
  channel: Channel;
  selection: ShownSelection;
  sent: PageRecord[];
  body: Buffer;
  origin: Origin;
}

/**
 * Reads the channel and what is shared with it again, right before the page is handed out, and renders what may be sent.
 * @returns why the delivery ends here; undefined when nothing of the page is shared any more
 */
export async function claimPage(
  slice: DeliverySlice,
  page: PageContext,
  read: PageRecord[],
): Promise<ClaimedPage | Ended | undefined> {
  const { process, input, session } = slice;
  const channel = await findChannel(process.store, input.channel, session);
  if (!channel) return { end: 'superseded' };
  if (channel.state === 'paused') return { end: 'paused' };
  if (pageSizeOf(channel, Date.now()) !== input.page_size) return { end: 'resized' };
  const selection = await process.selections(channel, input.entity_type, session);
  const sent = stillShared(page, selection, read);
  if (sent.length === 0) return undefined;
  const shown = sent.map((record) => shownTo(selection, input.entity_type, record));
  const body = renderPage(shown, metaOf(slice, page, sent.length));
  return { channel, selection, sent, body, origin: originOf(slice, page) };
}

/** The accounts of the page, where they are shared one by one. */
export function accountsOf({ selection, sent }: Pick<ClaimedPage, 'selection' | 'sent'>): string[] {
  const shared = sent.flatMap(({ account_ids, position }) =>
    account_ids.filter((account) => isSharedAt(selection, account, position)),
  );
  return [...new Set(shared)];
}

function originOf({ input, delivery }: DeliverySlice, { fence, account }: PageContext): Origin {
  const { generation, epoch } = fence;
  const requestId = input.request_id ?? randomUUID();
  return { requestId, delivery, entityType: input.entity_type, generation, epoch, account };
}

/** Drops records that a farmer has stopped sharing, or whose grant has ended, since the page was read. */
function stillShared({ account }: PageContext, selection: Selection, page: PageRecord[]): PageRecord[] {
  if (account !== undefined) return page.filter(({ position }) => isSharedAt(selection, account, position));
  return page.filter((record) => isSelected(selection, record));
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
