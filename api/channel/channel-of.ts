import { isSlug } from '../../domain/settings/channel';
import { findEvenClosed, type Channel } from '../../store/channels/channels';
import { PageError } from './page-error';
import type { PageDeps, SignedInContext } from './signed-in-state';

/**
 * For a customer their own channel, whatever the request says; for an operator the channel in the path, even a closed one.
 * @throws PageError when there is none
 */
export async function channelOf(ctx: SignedInContext, { store }: PageDeps): Promise<Channel> {
  const slug = ctx.params['channel_slug'] ?? '';
  const channel = ctx.state.channel ?? (isSlug(slug) ? await findEvenClosed(store, slug) : null);
  if (!channel) throw new PageError('noChannel');
  ctx.state.logged['channel'] = channel._id;
  return channel;
}
