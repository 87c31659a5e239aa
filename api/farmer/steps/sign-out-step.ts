import { endSession } from '../../../store/access/session-ends';
import { answerPage } from '../../pages/answer-page';
import type { Deps, SessionContext } from '../../route';
import { signedOutPage } from '../pages/signed-out-page';
import { setSessionCookie } from '../session-cookie';

/** `POST .../sign-out`: ends the visit on this server, not only in this browser. */
export async function signOutFarmer(ctx: SessionContext, { store, farmer }: Deps): Promise<void> {
  const { session } = ctx.state;
  await endSession(store, session, null);
  setSessionCookie(ctx, farmer, '');
  answerPage(ctx, signedOutPage(session.language));
}
