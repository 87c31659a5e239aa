import { pauseChannel } from '../../../store/channels';
import type { Deps, OperatorContext } from '../../route';
import { act, NO_REASON } from '../act';
import { channelOf } from '../channel-of';
import { answerChannel } from '../show-channel';

export async function pause(ctx: OperatorContext, deps: Deps): Promise<void> {
  const channel = await channelOf(ctx, deps);
  const acted = await act(ctx, deps, {
    verb: 'pause',
    channel,
    async run(reason) {
      await pauseChannel(deps.store, channel._id, reason);
      const heard = await deps.bell.settingsChanged(channel._id, 'paused');
      return heard
        ? 'Nothing more is sent until it is resumed.'
        : 'Temporal does not answer: the pause holds all the same, from the next page on.';
    },
  });
  if (!acted) await answerChannel(ctx, deps, channel, { form: 'pause', field: 'reason', message: NO_REASON });
}
