import { resume } from '../../../control/resume';
import type { Deps, SignedInContext } from '../../route';
import { act, NO_REASON } from '../../pages/channel/act';
import { channelOf } from '../../pages/channel/channel-of';
import { answerChannel } from '../../pages/channel/show-channel-page';

export async function resumeFromPage(ctx: SignedInContext, deps: Deps): Promise<void> {
  const channel = await channelOf(ctx, deps);
  const acted = await act(ctx, deps, 'resume', channel, (asker) => resume(deps, channel, asker));
  if (!acted)
    await answerChannel(ctx, deps, channel, { form: 'resume', field: 'reason', message: NO_REASON });
}
