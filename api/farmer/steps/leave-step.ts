import { endSession } from '../../../store/sessions/session-ends';
import { goTo } from '../../pages/answer-page';
import { LEAVE_UNCHANGED, PATHS } from '../paths';
import { returnUrl } from '../return-url';
import { setSessionCookie } from '../session-cookie';
import type { FarmerContext, FarmerDeps } from '../farmer-state';

/**
 * `GET .../leave`: ends the visit and redirects to the customer, after a save or when the farmer has chosen to change
 * nothing more; an earlier save still stands. The last page opens this address by itself.
 */
export async function leave(ctx: FarmerContext, { store, farmer }: FarmerDeps): Promise<void> {
  const { session } = ctx.state;
  const unchanged = session.last_saved ?? 'cancelled';
  const status = session.saved?.status ?? (ctx.url === LEAVE_UNCHANGED ? unchanged : undefined);
  if (!status) return goTo(ctx, session.verified ? PATHS.done : PATHS.code);
  const wayOut = returnUrl(session.link, status);
  await endSession(store, session, wayOut);
  setSessionCookie(ctx, farmer, '');
  goTo(ctx, wayOut);
}
