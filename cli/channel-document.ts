import { CHANNEL_SETTINGS } from '../control/all-channel-settings';
import { shownOf } from '../control/channel-setting';
import { type Channel, dueAt, leastPageSize, liveSigning } from '../store/channels/channels';
import { keyFacts } from './token-options';

/** The settings that a command reads from it. */
type Read = Pick<Channel, 'name' | 'scope' | 'companies'> & {
  base_url: string | null;
  cadence: string;
  has_authorization: boolean;
};

/** A channel as `gdx` prints it, without its secrets. */
export function channelDocument(channel: Channel, now: number) {
  const settings = CHANNEL_SETTINGS.map(([name, row]) => [row.member ?? name, shownOf(channel, name, row)]);
  return {
    slug: channel._id,
    state: channel.state,
    paused: channel.paused ?? null,
    closed: channel.closed ?? null,
    failing: channel.failing ?? null,
    ...(Object.fromEntries(settings) as Read),
    page_size_now: leastPageSize(channel, now),
    public_keys: liveSigning(channel, new Date(now)).map(({ pair }) => pair.public_key),
    runs: channel.run,
    next_due: dueAt(channel, now),
    created_at: channel.created_at,
    ...keyFacts(channel),
  };
}
