import { resumeChannel } from '../../../store/channels';
import type { Deps, OperatorContext } from '../../route';
import { act, NO_REASON } from '../act';
import { channelOf } from '../channel-of';
import { answerChannel } from '../show-channel';

export async function resume(ctx: OperatorContext, deps: Deps): Promise<void> {
  const channel = await channelOf(ctx, deps);
  const acted = await act(ctx, deps, {
    verb: 'resume',
    channel,
    async run() {
      await resumeChannel(deps.store, channel._id);
      const heard = await deps.bell.settingsChanged(channel._id, 'resumed');
      return heard
        ? 'It delivers now, from where the customer left off.'
        : 'Temporal does not answer: it runs when Temporal is back and it is due.';
    },
  });
  if (!acted)
    await answerChannel(ctx, deps, channel, { form: 'resume', field: 'reason', message: NO_REASON });
}
