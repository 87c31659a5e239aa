import { pause } from '../../../control/pause';
import type { Deps, SignedInContext } from '../../route';
import { act, NO_REASON } from '../../pages/channel/act';
import { channelOf } from '../../pages/channel/channel-of';
import { answerChannel } from '../../pages/channel/show-channel-page';

export async function pauseFromPage(ctx: SignedInContext, deps: Deps): Promise<void> {
  const channel = await channelOf(ctx, deps);
  const acted = await act(ctx, deps, 'pause', channel, (asker) => pause(deps, channel, asker));
  if (!acted) await answerChannel(ctx, deps, channel, { form: 'pause', field: 'reason', message: NO_REASON });
}
