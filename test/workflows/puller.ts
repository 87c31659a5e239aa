import { channelKeys } from '../../store/channels/channels';
import type { Api, ApiAnswer } from '../api/start-api';
import { eventually } from '../setup/eventually';
import type { FeedWorker, TestFeed } from './test-feed';

/** Of a page that was collected. */
export const idOf = ({ headers }: ApiAnswer) => String(headers['webhook-id']);
export const remoteIds = ({ json }: ApiAnswer): string[] =>
  json.data.map((one: Record<string, { remote_id: string }>) => Object.values(one)[0]!.remote_id);

/** A channel of its own, and a customer who collects its pages. */
export async function openPuller<W extends FeedWorker>(
  { feed, api }: { feed: TestFeed<W>; api: Pick<Api, 'ask'> },
  slug: string,
  settings: Parameters<TestFeed['addChannel']>[1] = {},
) {
  await feed.addChannel(slug, { delivery: 'pull', base_url: '', ...settings });
  const token = (await channelKeys.rotate(feed.store, slug, 0))!.token;
  const path = `/api/v1/channels/${slug}/feed`;
  const customer = {
    next: (type = 'tickets') => untilAnswered(() => api.ask('GET', `${path}?entity_type=${type}`, { token })),
    confirm: (page: unknown) =>
      untilAnswered(() => api.ask('POST', `${path}/confirm`, { token, body: { page } })),
    ask: (method: string, rest: string, body?: unknown) =>
      api.ask(method, `/api/v1/channels/${slug}${rest}`, { token, body }),
    /** @returns the remote ids of all pages that are left, in order */
    async collectAll(type = 'tickets'): Promise<string[]> {
      const seen: string[] = [];
      for (;;) {
        const page = await customer.next(type);
        if (page.status === 204) return seen;
        if ((await customer.confirm(idOf(page))).status === 204) seen.push(...remoteIds(page));
      }
    },
  };
  return customer;
}

/** Again, as the customer's guide says, after 503. */
const untilAnswered = (ask: () => Promise<ApiAnswer>) =>
  eventually(async () => {
    const answer = await ask();
    expect(answer.status).not.toBe(503);
    return answer;
  });
