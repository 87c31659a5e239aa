import { answerPage } from '../../pages/answer-page';
import { farmerPageContext } from '../farmer-page-context';
import { cancelledPage } from '../pages/cancelled-page';
import type { FarmerContext, FarmerDeps } from '../farmer-state';

/** `GET .../cancelled`: the page after cancelling. Its form only switches the language. */
export function showCancelled(ctx: FarmerContext, deps: FarmerDeps): void {
  const context = farmerPageContext(ctx, deps);
  answerPage(ctx, cancelledPage({ context, customer: ctx.state.channel.name }));
}
