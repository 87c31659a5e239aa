import { channelKeys } from '../../store/channels/channels';
import type { Api } from '../api/start-api';
import type { Script } from '../setup/fake-customer';
import type { TestFeed } from './test-feed';

type Settings = Parameters<TestFeed['addChannel']>[1];
interface Parts {
  feed: TestFeed;
  api: Api;
}

/** A customer who holds all of so many tickets, and asks for them again. */
export async function openHolder(
  parts: Parts,
  slug: string,
  amount: number,
  settings: Settings = {},
  script?: Script,
) {
  const { feed } = parts;
  const customer = await feed.addChannel(slug, settings, script);
  await feed.push(slug, ['tickets'], amount);
  await feed.deliverNow(slug);
  await feed.closed(slug, 'tickets', 1);
  return { customer, ...(await openAsker(parts, slug)) };
}

/** What a channel's customer asks for. */
export async function openAsker({ feed, api }: Parts, slug: string) {
  const token = (await channelKeys.rotate(feed.store, slug, 0))!.token;
  const company = (await feed.channel(slug)).companies[0]!;
  const ask = (method: string, path: string, body?: unknown) =>
    api.ask(method, `/api/v1/channels/${slug}/${path}`, { token, body });
  const idOf = (id: number) => `${company}-${id}`;
  return {
    ask,
    token,
    idOf,
    resend: (ids: number[]) => ask('POST', 'resend', { entity_type: 'tickets', ids: ids.map(idOf) }),
    account: (id: number) => ask('POST', 'resend', { entity_type: 'tickets', account: idOf(id) }),
  };
}
