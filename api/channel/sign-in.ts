import type { ParameterizedContext } from 'koa';
import { legible } from '../../domain/text/pasted-text';
import { countAttempt, uncountAttempt, type AttemptLimit } from '../../store/codes/attempt-counts';
import { addressKey } from '../limits/rate-limit';
import type { RequestState } from '../http/route';
import { answerPage, goTo } from '../pages/answer-page';
import { say } from '../pages/said';
import { maskToken } from '../pages/csrf';
import { formTokenOf, setDoorCookie } from './cookies';
import type { Door } from './door';
import { PageError } from './page-error';
import type { PageDeps, SignedInContext, SignInContext, SignInState } from './signed-in-state';
import { signInPage } from './views/sign-in-page';

// Per address; valid tokens are not counted.
const GUESSES: AttemptLimit = { limit: 10, windowMs: 10 * 60_000 };

/** The word that says that the token opened nothing. */
const WRONG = 'wrong';

export function showSignIn(ctx: SignInContext, deps: PageDeps): void {
  const [said, to] = ctx.state.said ?? [];
  answerSignIn(ctx, deps, ctx.state.door, said === WRONG ? 422 : 200, to);
}

/** The token arrives in a form, never in a URL. Attempts are counted before the lookup. */
export async function signIn(ctx: SignInContext, deps: PageDeps): Promise<void> {
  const { store, pages } = deps;
  const { door, form, logged } = ctx.state;
  const opened = await tryToSignIn(ctx, deps, () =>
    door.open(store, legible(form.get('token') ?? ''), ctx.ip),
  );
  logged['sign_in'] = opened ? 'right' : 'wrong';
  if (!opened) return say(ctx, pages, door.paths.signIn, WRONG, door.wayOn(form.get('to')));
  logged[door.holder] = opened.who;
  setDoorCookie(ctx, pages, door, { purpose: 'session', token: opened.cookie });
  goTo(ctx, door.wayOn(form.get('to')));
}

/**
 * Limits the failed attempts of an address. Each is counted before `look` runs, and uncounted if that finds somebody.
 * @param way what is tried: who fails at one, as while the provider is away, may come in by the other
 */
export async function tryToSignIn<T>(
  { ip, state: { door } }: SignInContext,
  { store }: PageDeps,
  look: () => Promise<T>,
  way: Door['holder'] | 'provider' = door.holder,
): Promise<T> {
  const attempt = `${way}/address/${addressKey(ip)}`;
  const waitMs = await countAttempt(store, attempt, GUESSES);
  if (waitMs > 0) throw new PageError('limited', waitMs);
  const found = await look();
  if (found) await uncountAttempt(store, attempt);
  return found;
}

/** The sign-in form, also shown instead of any page that needs a session (401). */
export function answerSignIn(
  ctx: ParameterizedContext<RequestState & Partial<SignInState>>,
  { pages, provider }: PageDeps,
  door: Door,
  status: number,
  to: string | null = ctx.path.replace(/(\/channels\/[^/]+)\/.*/, '$1'),
): void {
  const page = signInPage({
    service: pages.serviceName,
    door,
    csrf: maskToken(ctx.state.formToken ?? formTokenOf(ctx, pages, door)),
    to: door.wayOn(to),
    // A link from another site carries no session (SameSite=Strict); one from our pages does.
    again: status === 401 && ctx.get('Sec-Fetch-Site') === 'cross-site' ? door.wayOn(to) : undefined,
    wrong: status === 422,
    provider: door.holder === 'operator' ? provider?.name : undefined,
  });
  answerPage(ctx, page, status);
}

export async function signOut(ctx: SignedInContext, { store, pages }: PageDeps): Promise<void> {
  const { door, session } = ctx.state;
  await door.close(store, session);
  setDoorCookie(ctx, pages, door, { purpose: 'session', token: '' });
  goTo(ctx, door.paths.signIn);
}
