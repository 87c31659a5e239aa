import { openFarmerSession } from '../../../store/farmer-sessions';
import type { Deps, OpenContext } from '../../route';
import { answerPage, goTo } from '../../pages/answer-page';
import { brokenLinkPage } from '../pages/broken-link-page';
import { PATHS } from '../paths';
import { preferredLanguage } from '../preferred-language';
import { readLink } from '../read-link';
import { setSessionCookie } from '../session-cookie';

/** `GET /subscriptions?...`: keeps the parameters in a session and goes on to an address without them (contract 5). */
export async function openLink(ctx: OpenContext, { store, farmer }: Deps): Promise<void> {
  const language = preferredLanguage(ctx);
  const read = await readLink(store, ctx.querystring);
  if ('broken' in read) {
    const { broken: parts, channel } = read;
    Object.assign(ctx.state.logged, { broken_link: parts, channel: channel?._id });
    const customer = channel && { name: channel.name, contact: channel.contact };
    return answerPage(ctx, brokenLinkPage({ first: language, parts, customer }), 400);
  }
  ctx.state.logged['channel'] = read.link.channel;
  setSessionCookie(ctx, farmer, await openFarmerSession(store, { ...read, language }));
  goTo(ctx, PATHS.phone);
}
