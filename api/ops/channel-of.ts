import { isSlug } from '../../domain/channel';
import { findChannel, type Channel } from '../../store/channels';
import type { Deps, OperatorContext } from '../route';
import { OpsTrouble } from './ops-trouble';

/** The channel in the address. @throws OpsTrouble when there is none */
export async function channelOf(ctx: OperatorContext, { store }: Deps): Promise<Channel> {
  const slug = ctx.params['channel_slug'] ?? '';
  const channel = isSlug(slug) ? await findChannel(store, slug) : null;
  if (!channel) throw new OpsTrouble('noChannel');
  ctx.state.logged['channel'] = channel._id;
  return channel;
}
