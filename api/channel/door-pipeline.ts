import type { Middleware, ParameterizedContext } from 'koa';
import type { RequestState, RouteTraits } from '../http/route';
import { addressKey } from '../limits/rate-limit';
import { answerHtml } from '../pages/answer-page';
import { isForeign, isToken } from '../pages/csrf';
import { pagePipeline, type PageLimits } from '../pages/page-pipeline';
import { type FormRoom, readForm } from '../pages/read-form';
import { say } from '../pages/said';
import { answerChannelPages } from './answer-channel-pages';
import { formTokenOf, readDoorCookie } from './cookies';
import { type Door, pageOfForm, type SignedIn } from './door';
import { PageError } from './page-error';
import type { PageDeps, SignedInState, SignInState } from './signed-in-state';

/** A customer's pages count with its requests to the API. Otherwise they would double what it may ask for. */
interface DoorLimits extends PageLimits {
  ofChannel: unknown[];
}

/** The checks of a route behind a door, or of the door itself. */
export const doorPipeline = (route: RouteTraits, door: Door, deps: PageDeps, limits: DoorLimits): unknown[] =>
  pagePipeline(route, deps.serving, limits, (room) => {
    const isOutside = route.caller === 'signing-in' || route.caller === 'customer-signing-in';
    return {
      ...answerChannelPages(deps, door),
      enter: isOutside
        ? [giveFormToken(deps, door)]
        : [
            requireSignedIn(deps, door),
            ...(door.holder === 'channel' ? limits.ofChannel : []),
            ...(isAct(route, door) ? [requireRole] : []),
          ],
      acceptForm: acceptPageForm(deps, door, room),
      last: isOutside ? [] : [keepPage(deps, door)],
    };
  });

function giveFormToken({ pages }: PageDeps, door: Door): Middleware<RequestState & SignInState> {
  return async (ctx, next) => {
    const state = { door, formToken: formTokenOf(ctx, pages, door), form: new URLSearchParams() };
    Object.assign(ctx.state, state);
    await next();
  };
}

/** Finds the session of the cookie. @throws PageError when there is none or it has ended */
async function requireSession(
  ctx: ParameterizedContext,
  { store, pages }: PageDeps,
  door: Door,
): Promise<SignedIn> {
  const token = readDoorCookie(ctx, pages, door, 'session');
  const found = token && (await door.find(store, token, ctx.ip));
  if (!found) throw new PageError('signedOut');
  return found;
}

function requireSignedIn(deps: PageDeps, door: Door): Middleware<RequestState & SignedInState> {
  return async (ctx, next) => {
    const found = await requireSession(ctx, deps, door);
    ctx.state.logged[door.holder] = found.channel?._id ?? found.by;
    Object.assign(ctx.state, found, { door, form: new URLSearchParams() });
    await next();
  };
}

/** Whether the route needs the right to act: each form but signing out, and each page that asks first. */
const isAct = ({ method, path }: RouteTraits, { paths }: Door) =>
  method === 'POST' ? path !== paths.signOut : path.startsWith(`${paths.channel}/`);

/** @throws PageError for an operator who may only read, before the form is read */
const requireRole: Middleware<RequestState & SignedInState> = (ctx, next) => {
  if (!ctx.state.mayAct) throw new PageError('readsOnly');
  return next();
};

/** The word that says that the page to be shown is kept. */
const KEPT = 'kept';

/** A page that answers a form is kept in the session, and shown once by the request that the form is redirected to. */
function keepPage({ store, pages }: PageDeps, door: Door): Middleware<RequestState & SignedInState> {
  return async (ctx, next) => {
    const { session, said } = ctx.state;
    const page = said?.[0] === KEPT ? await door.take(store, session) : undefined;
    if (page) return answerHtml(ctx, page.slice(3), Number(page.slice(0, 3)));
    await next();
    if (ctx.method === 'GET' || ctx.status === 303) return;
    await door.keep(store, session, `${ctx.status}${String(ctx.body)}`);
    say(ctx, pages, pageOfForm(door, ctx.path), KEPT);
  };
}

type State = RequestState & Partial<SignedInState> & Partial<SignInState>;

/** Accepts a form only from a page of this session, or from this browser's sign-in page. */
function acceptPageForm(deps: PageDeps, door: Door, room: FormRoom): Middleware<State> {
  return async (ctx, next) => {
    if (isForeign(ctx, deps.pages.publicUrl)) throw new PageError('stale');
    const { channel, session } = ctx.state;
    // One key opens any number of sessions, so all sessions of a customer have one share.
    const form = await readForm(ctx, room, channel?._id ?? session?._id ?? addressKey(ctx.ip));
    // The upload may take long: an operator removed, or a key revoked during it, must not act.
    if (ctx.state.session) Object.assign(ctx.state, await requireSession(ctx, deps, door));
    const token = ctx.state.session?.csrf ?? ctx.state.formToken;
    if (!token || !isToken(token, form.get('csrf'))) throw new PageError('stale');
    ctx.state.form = form;
    await next();
  };
}
