import type { Channel } from '../../store/channels/channels';
import { ensureMarkers, markerId } from '../../store/markers/markers';
import { askForPage, type LaidPage, layPage } from '../../store/markers/waiting-pages';
import type { Store } from '../../store/store';

const META = { current_page: 1, page_count: 0, page_size: 1, total_count: 0, total_pages: 1 };

/** Lays an empty page of tickets out for a channel that collects its pages, as a worker does. */
export async function layTestPage(
  store: Store,
  { _id: channel, shares_version }: Pick<Channel, '_id' | 'shares_version'>,
  { headers, ...own }: Partial<LaidPage> = {},
) {
  await askForPage(store, channel, 'tickets');
  await ensureMarkers(store, channel, ['tickets']);
  const fence = own.fence ?? { id: markerId(channel, 'tickets'), epoch: 0 };
  const progress = { delivery: 'delivery/test', pages: 1, records: 0, bytes: 0 };
  const to = { position: 0, timestamp: new Date(), progress };
  const move = { channel, entity_type: 'tickets', fence, to, set_aside: [], released: [] } as const;
  await layPage(store, markerId(channel, 'tickets'), {
    ...{ page: 'msg_1', until: new Date(Date.now() + 60_000), asks: 1, shares_version, fence },
    body: Buffer.from(JSON.stringify({ data: [], meta: META })),
    confirmation: { move: { ...move, set_aside: [], released: [] }, done: progress, accounts: [] },
    ...own,
    headers: { 'webhook-id': own.page ?? 'msg_1', ...headers },
  });
}
