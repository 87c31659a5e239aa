import type { Channel } from '../../store/channels/channels';
import { markerId } from '../../store/markers/markers';
import { askForPage, layPage } from '../../store/markers/waiting-pages';
import type { Store } from '../../store/store';

const META = { current_page: 1, page_count: 0, page_size: 1, total_count: 0, total_pages: 1 };

/** Lays an empty page of tickets out for a channel that collects its pages, as a worker does. */
export async function layTestPage(store: Store, channel: Channel, own: Record<string, string>) {
  await askForPage(store, channel, 'tickets');
  const { shares_version } = channel;
  const headers = { 'webhook-id': 'msg_1', ...own };
  const page = { page: 'msg_1', until: new Date(Date.now() + 60_000), shares_version, headers };
  const body = Buffer.from(JSON.stringify({ data: [], meta: META }));
  await layPage(store, markerId(channel._id, 'tickets'), { ...page, body }, undefined);
}
