import { pause } from '../../../control/pause';
import { act, NO_REASON } from '../../channel/act';
import { channelOf } from '../../channel/channel-of';
import { answerChannel } from '../../channel/show-channel-page';
import type { PageDeps, SignedInContext } from '../../channel/signed-in-state';

export async function pauseFromPage(ctx: SignedInContext, deps: PageDeps): Promise<void> {
  const channel = await channelOf(ctx, deps);
  const acted = await act(ctx, deps, 'pause', channel, (asker) => pause(deps, channel, asker));
  if (!acted) await answerChannel(ctx, deps, channel, { form: 'pause', field: 'reason', message: NO_REASON });
}
