import { countedAddress } from '../../http/caller-address';
import { openFarmerSession } from '../../../store/sessions/farmer-sessions';
import type { OpenContext } from '../../http/route';
import { answerPage, goTo } from '../../pages/answer-page';
import { brokenLinkPage, refusedLinkPage } from '../pages/bad-link-pages';
import { PATHS } from '../paths';
import { preferredLanguage } from '../preferred-language';
import { readLink } from '../read-link';
import { setSessionCookie } from '../session-cookie';
import { FarmerPageError } from '../farmer-page-error';
import { countSession } from '../../limits/session-limits';
import type { FarmerDeps } from '../farmer-state';

/** `GET /subscriptions?...`: stores the parameters in a session and redirects to a path without them. */
export async function openLink(ctx: OpenContext, { store, farmer }: FarmerDeps): Promise<void> {
  const language = preferredLanguage(ctx);
  const read = await readLink(store, ctx.querystring);
  if ('broken' in read) {
    const { broken: parts, channel } = read;
    Object.assign(ctx.state.logged, { broken_link: parts, channel: channel?._id });
    return answerPage(ctx, brokenLinkPage({ first: language, parts, channel }), 400);
  }
  if ('refused' in read) {
    const { refused: why, channel } = read;
    Object.assign(ctx.state.logged, { refused_link: why, channel: channel._id });
    return answerPage(ctx, refusedLinkPage({ first: language, why, channel }), 403);
  }
  ctx.state.logged['channel'] = read.link.channel;
  const waitMs = await countSession(store, countedAddress(ctx), read.link.channel);
  if (waitMs > 0) throw new FarmerPageError('crowded', { waitMs });
  setSessionCookie(ctx, farmer, 'link', await openFarmerSession(store, { ...read, language }));
  goTo(ctx, PATHS.phone);
}
