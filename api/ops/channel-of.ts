import { isSlug } from '../../domain/channel';
import { findChannel, type Channel } from '../../store/feed/channels';
import type { Deps, OperatorContext } from '../route';
import { OpsPageError } from './ops-page-error';

/** The channel named in the path. @throws OpsPageError when it does not exist */
export async function channelOf(ctx: OperatorContext, { store }: Deps): Promise<Channel> {
  const slug = ctx.params['channel_slug'] ?? '';
  const channel = isSlug(slug) ? await findChannel(store, slug) : null;
  if (!channel) throw new OpsPageError('noChannel');
  ctx.state.logged['channel'] = channel._id;
  return channel;
}
