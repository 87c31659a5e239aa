import { endSession } from '../../../store/sessions/session-ends';
import { type FarmerLink, isSaving } from '../../../store/sessions/farmer-sessions';
import { isLanguage } from '../../../domain/text/language';
import type { OpenContext } from '../../http/route';
import { answerPage, goTo } from '../../pages/answer-page';
import { farmerPageContext } from '../farmer-page-context';
import type { FarmerContext, FarmerDeps } from '../farmer-state';
import { cancelledPage } from '../pages/cancelled-page';
import { signedOutPage } from '../pages/signed-out-page';
import { preferredLanguage } from '../preferred-language';
import { LEAVE_UNCHANGED, PATHS, SHARING, signInPathsAt } from '../paths';
import { sessionOf, setSessionCookie } from '../session-cookie';

/** `GET .../cancelled`: the page after cancelling. Its form only switches the language. */
export function showCancelled(ctx: FarmerContext, deps: FarmerDeps): void {
  if (isSaving(ctx.state.session)) return goTo(ctx, PATHS.done);
  if (ctx.method === 'POST') return goTo(ctx, PATHS.cancelled);
  const context = farmerPageContext(ctx, deps);
  answerPage(ctx, cancelledPage({ context, customer: ctx.state.channel.name }));
}

/**
 * `GET .../leave`: ends the visit and redirects to the customer, after a save or when the farmer has chosen to change
 * nothing more; an earlier save still stands, and one in progress is waited for. The last page opens this address by itself.
 */
export async function leave(ctx: FarmerContext, { store, farmer }: FarmerDeps): Promise<void> {
  const { session } = ctx.state;
  if (isSaving(session)) return goTo(ctx, PATHS.done);
  const unchanged = session.last_saved ?? 'cancelled';
  const status = session.saved?.status ?? (ctx.url === LEAVE_UNCHANGED ? unchanged : undefined);
  if (!status) return goTo(ctx, session.verified ? PATHS.done : PATHS.code);
  const wayOut = returnUrl(session.link, status);
  await endSession(store, session, wayOut);
  setSessionCookie(ctx, farmer, 'link', '');
  goTo(ctx, wayOut);
}

const NOT_ASCII = /[^\x21-\x7e]+/gu;

/**
 * The customer's address that the farmer returns to. The outcome is added to its query; the rest is the same byte for
 * byte (docs/contract.md F12). Only characters that a header cannot carry are percent-encoded.
 */
function returnUrl(link: FarmerLink, status: 'saved' | 'unchanged' | 'cancelled'): string {
  const { origin, pathname, hash } = new URL(link.callback_url);
  const own = /^[^?#]*\?([^#]*)/.exec(link.callback_url)?.[1]?.replace(NOT_ASCII, encodeURIComponent) ?? '';
  const between = own === '' || own.endsWith('&') ? '' : '&';
  const outcome = `status=${status}&partner_id=${encodeURIComponent(link.partner_id)}`;
  return `${origin}${pathname}?${own}${between}${outcome}${hash}`;
}

const PAGE_OF_VISIT = [
  ['link', PATHS.accounts],
  ['sharing', SHARING.customers],
] as const;

/** `POST .../sign-out`: ends both visits of the browser, on this server and not only in the browser. */
export async function signOutFarmer(ctx: OpenContext, deps: FarmerDeps): Promise<void> {
  let language = preferredLanguage(ctx);
  for (const [visit] of PAGE_OF_VISIT) {
    const session = await sessionOf(ctx, deps, visit);
    if (session) {
      ({ language } = session);
      await endSession(deps.store, session, null);
    }
    setSessionCookie(ctx, deps.farmer, visit, '');
  }
  goTo(ctx, `${signInPathsAt(ctx.path).signOut}?language=${language}`);
}

/** `GET .../sign-out`: what the form of signing out leads to. A visit that is open is shown instead. */
export async function showSignedOut(ctx: OpenContext, deps: FarmerDeps): Promise<void> {
  for (const [visit, page] of PAGE_OF_VISIT) if (await sessionOf(ctx, deps, visit)) return goTo(ctx, page);
  const { language } = ctx.query;
  answerPage(ctx, signedOutPage(isLanguage(language) ? language : preferredLanguage(ctx)));
}
