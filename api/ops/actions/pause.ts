import { pause } from '../../../control/pause';
import type { Deps, OperatorContext } from '../../route';
import { act, NO_REASON } from '../act';
import { channelOf } from '../channel-of';
import { answerChannel } from '../show-channel-page';

export async function pauseFromPage(ctx: OperatorContext, deps: Deps): Promise<void> {
  const channel = await channelOf(ctx, deps);
  const acted = await act(ctx, deps, 'pause', channel, (asker) => pause(deps, channel, asker));
  if (!acted) await answerChannel(ctx, deps, channel, { form: 'pause', field: 'reason', message: NO_REASON });
}
