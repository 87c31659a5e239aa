import { ChannelPaused, requestDelivery } from '../../../control/request-delivery';
import { act, NO_REASON } from '../../channel/act';
import { channelOf } from '../../channel/channel-of';
import { answerChannel } from '../../channel/show-channel-page';
import type { PageDeps, SignedInContext } from '../../channel/signed-in-state';

/** The page offers it for a channel that runs; it may have been paused since. */
const PAUSED = 'The channel is paused: resume it, and it delivers at once';

export async function deliverFromPage(ctx: SignedInContext, deps: PageDeps): Promise<void> {
  const channel = await channelOf(ctx, deps);
  const refuse = (message: string) =>
    answerChannel(ctx, deps, channel, { form: 'deliver', field: 'reason', message });
  try {
    const acted = await act(ctx, deps, 'deliver', channel, (asker) => requestDelivery(deps, channel, asker));
    if (!acted) await refuse(NO_REASON);
  } catch (error) {
    if (!(error instanceof ChannelPaused)) throw error;
    await refuse(PAUSED);
  }
}
