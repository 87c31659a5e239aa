import type { Deps, FarmerContext } from '../../route';
import { answerPage } from '../../pages/answer-page';
import { frameOf } from '../frame';
import { leaveUrl } from '../leave-url';
import { cancelledPage } from '../pages/cancelled-page';

/** Also takes the form of the page, which only changes the language. */
export function showCancelled(ctx: FarmerContext, deps: Deps): void {
  const { session, channel } = ctx.state;
  const url = leaveUrl(session.link, 'cancelled');
  answerPage(ctx, cancelledPage({ frame: frameOf(ctx, deps), customer: channel.name, leaveUrl: url }));
}
