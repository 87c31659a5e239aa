import { isSaving } from '../../../store/farmer-sessions';
import type { Deps, FarmerContext } from '../../route';
import { answerPage, goTo } from '../../pages/answer-page';
import { frameOf } from '../frame';
import { leaveUrl } from '../leave-url';
import { listAccounts } from '../list-accounts';
import { donePage, savingPage } from '../pages/done-page';
import { PATHS, SEEN_RECEIPT } from '../paths';
import { showReceipt } from './receipt-step';

const LOOK_AGAIN_S = 2;

/** Also takes the form of the page, which only changes the language. */
export async function showDone(ctx: FarmerContext, deps: Deps): Promise<void> {
  const { session, channel } = ctx.state;
  const { saved, link } = session;
  if (!session.verified) return goTo(ctx, PATHS.code);
  if (ctx.url === SEEN_RECEIPT) return showReceipt(ctx, deps);
  const frame = frameOf(ctx, deps);
  if (isSaving(session)) {
    ctx.set('Refresh', String(LOOK_AGAIN_S));
    return answerPage(ctx, savingPage({ frame }));
  }
  if (!saved) return goTo(ctx, PATHS.accounts);
  const accounts = await listAccounts(deps.store, session, channel);
  const page = donePage({
    frame,
    customer: channel.name,
    saved,
    shared: accounts.filter(({ granted }) => granted),
    leaveUrl: leaveUrl(link, saved.status),
  });
  answerPage(ctx, page);
}
