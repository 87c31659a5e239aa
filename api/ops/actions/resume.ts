import { resume } from '../../../control/resume';
import type { Deps, OperatorContext } from '../../route';
import { act, NO_REASON } from '../act';
import { channelOf } from '../channel-of';
import { answerChannel } from '../show-channel-page';

export async function resumeFromPage(ctx: OperatorContext, deps: Deps): Promise<void> {
  const channel = await channelOf(ctx, deps);
  const acted = await act(ctx, deps, 'resume', channel, (asker) => resume(deps, channel, asker));
  if (!acted)
    await answerChannel(ctx, deps, channel, { form: 'resume', field: 'reason', message: NO_REASON });
}
