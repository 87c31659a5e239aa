import { isSaving } from '../../../store/sessions/farmer-sessions';
import { answerPage, goTo } from '../../pages/answer-page';
import { farmerPageContext } from '../farmer-page-context';
import { listAccounts } from '../list-accounts';
import { donePage, savingPage } from '../pages/done-page';
import { PATHS, SEEN_RECEIPT, STAYING } from '../paths';
import { showReceipt } from './receipt-step';
import type { FarmerContext, FarmerDeps } from '../farmer-state';

const LOOK_AGAIN_S = 2;
const GO_ON_AFTER_S = 20;

/** `GET .../done`: the last page. Its form only switches the language. */
export async function showDone(ctx: FarmerContext, deps: FarmerDeps): Promise<void> {
  if (ctx.method === 'POST') return goTo(ctx, ctx.url);
  const { session, channel } = ctx.state;
  const { saved } = session;
  if (!session.verified) return goTo(ctx, PATHS.code);
  if (ctx.url === SEEN_RECEIPT) return showReceipt(ctx, deps);
  const context = farmerPageContext(ctx, deps);
  if (isSaving(session)) {
    ctx.set('Refresh', String(LOOK_AGAIN_S));
    return answerPage(ctx, savingPage({ context }));
  }
  if (!saved) return goTo(ctx, PATHS.accounts);
  const { accounts } = await listAccounts(deps.store, session, channel);
  const staying = ctx.url === STAYING;
  const { goOnAfterS = GO_ON_AFTER_S } = deps.farmer;
  // Redirects through our own address, since the customer's may contain characters that a header must not.
  if (!staying) ctx.set('Refresh', `${goOnAfterS}; url=${PATHS.leave}`);
  const page = donePage({
    context: staying ? { ...context, action: STAYING } : context,
    goesOnAfterS: staying ? undefined : goOnAfterS,
    customer: channel.name,
    saved,
    shared: accounts.filter(({ granted }) => granted),
  });
  answerPage(ctx, page);
}
