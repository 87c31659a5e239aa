import type { Deps, FarmerContext } from '../../route';
import { answerPage } from '../../pages/answer-page';
import { farmerPageContext } from '../farmer-page-context';
import { cancelledPage } from '../pages/cancelled-page';

/** Also accepts the page's form, which only switches the language. */
export function showCancelled(ctx: FarmerContext, deps: Deps): void {
  const context = farmerPageContext(ctx, deps);
  answerPage(ctx, cancelledPage({ context, customer: ctx.state.channel.name }));
}
