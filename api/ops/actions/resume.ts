import { resume } from '../../../control/resume';
import { act, NO_REASON } from '../../channel/act';
import { channelOf } from '../../channel/channel-of';
import { answerChannel } from '../../channel/show-channel-page';
import type { PageDeps, SignedInContext } from '../../channel/signed-in-state';

export async function resumeFromPage(ctx: SignedInContext, deps: PageDeps): Promise<void> {
  const channel = await channelOf(ctx, deps);
  const acted = await act(ctx, deps, 'resume', channel, (asker) => resume(deps, channel, asker));
  if (!acted)
    await answerChannel(ctx, deps, channel, { form: 'resume', field: 'reason', message: NO_REASON });
}
