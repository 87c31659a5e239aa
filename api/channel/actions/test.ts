import { requestTestPage } from '../../../control/request-test-page';
import { act, NO_REASON } from '../act';
import { channelOf } from '../channel-of';
import { answerChannel } from '../show-channel-page';
import type { PageDeps, SignedInContext } from '../signed-in-state';

/** Posts a page marked as a test to the customer. */
export async function testFromPage(ctx: SignedInContext, deps: PageDeps): Promise<void> {
  const channel = await channelOf(ctx, deps);
  const acted = await act(ctx, deps, 'test', channel, (asker) => requestTestPage(deps, channel, asker));
  if (!acted) await answerChannel(ctx, deps, channel, { form: 'test', field: 'reason', message: NO_REASON });
}
