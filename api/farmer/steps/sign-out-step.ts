import { endSession } from '../../../store/sessions/session-ends';
import { answerPage } from '../../pages/answer-page';
import { signedOutPage } from '../pages/signed-out-page';
import { setSessionCookie } from '../session-cookie';
import type { FarmerDeps, SessionContext } from '../farmer-state';

/** `POST .../sign-out`: ends the visit on this server, not only in this browser. */
export async function signOutFarmer(ctx: SessionContext, { store, farmer }: FarmerDeps): Promise<void> {
  const { session } = ctx.state;
  await endSession(store, session, null);
  setSessionCookie(ctx, farmer, '');
  answerPage(ctx, signedOutPage(session.language));
}
