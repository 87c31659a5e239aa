import type { Middleware, ParameterizedContext } from 'koa';
import { isLanguage } from '../../domain/text/language';
import { readCode } from '../../domain/text/read-code';
import { isLoopback } from '../../domain/settings/unsafe-settings';
import { type Channel, findChannel } from '../../store/channels/channels';
import { refreshHashKeys } from '../../store/secrets/hash-key';
import { changeSession, type FarmerLink, phoneOf, type Visit } from '../../store/sessions/farmer-sessions';
import { tokenOfSecondTap, wayOutOf } from '../../store/sessions/session-ends';
import type { Store } from '../../store/store';
import { countedAddress, isForwarded } from '../http/caller-address';
import type { RequestState, RouteTraits } from '../http/route';
import { addressKey } from '../limits/rate-limit';
import { goTo } from '../pages/answer-page';
import { isForeign, isToken } from '../pages/csrf';
import { pagePipeline, type PageLimits } from '../pages/page-pipeline';
import { type FormRoom, readForm, SMALL_FORM_BYTES } from '../pages/read-form';
import { answerFarmerPages } from './answer-farmer-pages';
import { FarmerPageError } from './farmer-page-error';
import type { FarmerDeps, SessionState } from './farmer-state';
import { PATHS, SHARING, signInPathsAt } from './paths';
import { readSessionCookie, sessionOf, setSessionCookie } from './session-cookie';

/** The checks before the handler of a farmer's route, in order. */
export const farmerPipeline = (route: RouteTraits, deps: FarmerDeps, limits: PageLimits): unknown[] =>
  pagePipeline(route, deps.serving, limits, (room) => {
    const { caller } = route;
    const hasSession = caller === 'farmer' || caller === 'sharer';
    return {
      ...answerFarmerPages(deps),
      enter: [
        ownMachineOnly(deps),
        ...(hasSession ? [findSession(deps, caller, secondTapOf(route, deps, room, VISITS[caller]))] : []),
      ],
      acceptForm: hasSession ? acceptForm(deps, room) : ownSiteOnly(deps),
    };
  });

/** Where codes are shown on the screen, they prove nothing. A browser on another machine then gets no page (421). */
function ownMachineOnly({ sender, farmer }: FarmerDeps): Middleware {
  return async (ctx, next) => {
    if (sender.showsCodes && (isForwarded(ctx) || !isOurs(ctx.get('Host'), farmer.publicUrl)))
      throw new FarmerPageError('elsewhere');
    await next();
  };
}

const isOurs = (host: string, publicUrl: string) =>
  host === new URL(publicUrl).host || isLoopback(host.replace(/:\d+$/, '').replace(/[[\]]/g, ''));

const VISITS = { farmer: 'link', sharer: 'sharing' } as const;

/**
 * Loads the cookie's session, and its channel for the steps behind a customer's link.
 * @param secondTap may answer when the session has just ended
 * @throws FarmerPageError when session or channel is gone
 */
function findSession(
  deps: FarmerDeps,
  caller: 'farmer' | 'sharer',
  secondTap: SecondTap | undefined,
): Middleware<RequestState & SessionState> {
  const { store, farmer } = deps;
  return async (ctx, next) => {
    await refreshHashKeys(store); // the keys may have been replaced since the last request
    const visit = VISITS[caller];
    const token = readSessionCookie(ctx, farmer, visit);
    const session = await sessionOf(ctx, deps, visit);
    if (!session && token && (await secondTap?.(ctx, token))) return;
    if (!session) throw new FarmerPageError('over', caller === 'sharer' ? { back: SHARING.entry } : {});
    const channel = session.link ? await channelOf(store, session.link) : undefined;
    if (channel) ctx.state.logged['channel'] = channel._id;
    Object.assign(ctx.state, { session, channel, form: new URLSearchParams(), switched: false });
    await next();
  };
}

async function channelOf(store: Store, link: FarmerLink): Promise<Channel> {
  const channel = await findChannel(store, link.channel);
  if (!channel) throw new FarmerPageError('gone');
  return channel;
}

/** Answers a second tap after the first one has ended the session. @returns whether it answered */
type SecondTap = (ctx: ParameterizedContext, token: string) => Promise<boolean>;

/**
 * The routes that have to answer a second tap. Of two taps a browser shows only the second answer, so it must lead to
 * the same page as the first.
 */
function secondTapOf(
  { method, path }: RouteTraits,
  deps: FarmerDeps,
  room: FormRoom,
  visit: Visit,
): SecondTap | undefined {
  if (path === PATHS.leave) return leaveAgain(deps);
  return path === signInPathsAt(path).code && method === 'POST' ? enterAgain(deps, room, visit) : undefined;
}

const leaveAgain =
  ({ store }: FarmerDeps): SecondTap =>
  async (ctx, token) => {
    const wayOut = await wayOutOf(store, token);
    if (wayOut !== undefined) goTo(ctx, wayOut);
    return wayOut !== undefined;
  };

/** The second tap still has the old session's id and the form of the code page. The code itself proves whose tap it is. */
const enterAgain =
  ({ store, farmer }: FarmerDeps, room: FormRoom, visit: Visit): SecondTap =>
  async (ctx, oldToken) => {
    if (isForeign(ctx, farmer.publicUrl)) return false;
    const form = await readForm(ctx, room, addressKey(countedAddress(ctx)));
    const token = await tokenOfSecondTap(store, oldToken, visit, readCode(form.get('code') ?? ''));
    if (token === undefined) return false;
    setSessionCookie(ctx, farmer, visit, token);
    goTo(ctx, signInPathsAt(ctx.path).next);
    return true;
  };

function refuseForeign(ctx: ParameterizedContext, { farmer }: FarmerDeps): void {
  if (isForeign(ctx, farmer.publicUrl)) throw new FarmerPageError('stale');
}

/** Signing out needs no token, as its page may be older than the visit. */
const ownSiteOnly =
  (deps: FarmerDeps): Middleware =>
  (ctx, next) => {
    refuseForeign(ctx, deps);
    return next();
  };

/** Accepts a form only from a page of this session. A form posted by the language button only switches the language. */
function acceptForm(deps: FarmerDeps, room: FormRoom): Middleware<RequestState & SessionState> {
  const { store } = deps;
  return async (ctx, next) => {
    refuseForeign(ctx, deps);
    const { session } = ctx.state;
    const { csrf, verified } = session;
    const maxBytes = verified ? room.maxBytes : SMALL_FORM_BYTES;
    // Anybody can open many visits. So all visits of a proven phone share one limit, and so do all others of an
    // address.
    const owner = verified ? phoneOf(store, session) : addressKey(countedAddress(ctx));
    const form = await readForm(ctx, { ...room, maxBytes }, owner);
    // The code's form was sent again by a second tap or the back button. Its token was replaced with the session's id,
    // and the code is accepted already.
    const { code, next: behind } = signInPathsAt(ctx.path);
    const isDone = verified && ctx.path === code;
    if (!isDone && !isToken(csrf, form.get('csrf'))) throw new FarmerPageError('stale');
    ctx.state.form = form;
    const language = form.get('language');
    ctx.state.switched = isLanguage(language);
    if (isLanguage(language)) ctx.state.session = await changeSession(store, session, { language });
    if (isDone) return goTo(ctx, behind);
    await next();
  };
}
