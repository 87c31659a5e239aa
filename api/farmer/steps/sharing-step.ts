import { countedAddress } from '../../http/caller-address';
import {
  changeSession,
  findFarmerSession,
  openFarmerSession,
  phoneOf,
} from '../../../store/sessions/farmer-sessions';
import type { OpenContext } from '../../http/route';
import { answerPage, goTo } from '../../pages/answer-page';
import { farmerPageContext } from '../farmer-page-context';
import { notePhoneCrowded } from '../note-activity';
import { sharingPage } from '../pages/sharing-page';
import { SHARING } from '../paths';
import { endingOf } from '../phone-number';
import { preferredLanguage } from '../preferred-language';
import { readSessionCookie, setSessionCookie } from '../session-cookie';
import { type Stopping, stopSharing } from '../stop-sharing';
import { FarmerPageError } from '../farmer-page-error';
import { countSession } from '../../limits/session-limits';
import { whoSees } from '../who-sees';
import type { FarmerDeps, SessionContext } from '../farmer-state';

/** `GET /sharing`: opens a visit. A phone that was verified in this browser need not be verified again. */
export async function openSharing(ctx: OpenContext, { store, farmer }: FarmerDeps): Promise<void> {
  const token = readSessionCookie(ctx, farmer);
  const session = token && (await findFarmerSession(store, token));
  if (session && session.verified) return goTo(ctx, SHARING.customers);
  if (session && !session.link) return goTo(ctx, SHARING.phone);
  const waitMs = await countSession(store, countedAddress(ctx), undefined);
  if (waitMs > 0) throw new FarmerPageError('crowded', { waitMs });
  const visit = { link: null, phone: '', language: preferredLanguage(ctx) };
  setSessionCookie(ctx, farmer, await openFarmerSession(store, visit));
  goTo(ctx, SHARING.phone);
}

export async function showSharing(ctx: SessionContext, deps: FarmerDeps): Promise<void> {
  const { session } = ctx.state;
  const { store } = deps;
  if (!session.verified) return goTo(ctx, SHARING.entry);
  const phone = phoneOf(store, session);
  const { recipients, crowded } = await whoSees(store, phone);
  notePhoneCrowded(deps, undefined, crowded);
  const page = sharingPage({
    context: farmerPageContext(ctx, deps),
    phoneEnding: endingOf(phone),
    recipients,
    stopped: session.stopped ?? undefined,
    crowded: crowded.length > 0,
  });
  answerPage(ctx, page);
}

/** Stops sharing at once, without a second question. After a mistake the farmer shares again with the customer's link. */
export async function submitSharing(ctx: SessionContext, deps: FarmerDeps): Promise<void> {
  const { session, form, switched } = ctx.state;
  const copied = form.get('copy');
  if (session.verified && !switched && copied) {
    await changeSession(deps.store, session, { copy: { channel: copied, proven_at: null } });
    return goTo(ctx, SHARING.copy);
  }
  const stopping = stoppingOf(form);
  if (session.verified && !switched && stopping) await stopSharing(ctx, deps, stopping);
  goTo(ctx, SHARING.customers);
}

/** The button's value: `acme`, or `acme/42-1001`; a slug has no slash. */
function stoppingOf(form: URLSearchParams): Stopping | undefined {
  if (form.get('do') === 'stop-all') return { all: true };
  const [slug, ...account] = (form.get('stop') ?? '').split('/');
  if (!slug) return undefined;
  return { slug, ...(account.length > 0 && { account: account.join('/') }) };
}
