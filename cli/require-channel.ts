import type { Channel } from '../store/channels';
import { Failure } from './failure';

/** @throws Failure when there is no such channel. */
export function requireChannel(channel: Channel | null, slug: string): Channel {
  if (channel) return channel;
  throw new Failure(`there is no channel ${slug}`, '`gdx channel list` shows them all');
}
