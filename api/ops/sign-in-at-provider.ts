import { randomBytes } from 'node:crypto';
import { nameOfClaims, roleOfGroups } from '../../domain/settings/operators-provider';
import { openNamedSession } from '../../store/sessions/page-sessions';
import { setDoorCookie } from '../channel/cookies';
import { type OperatorsProvider, ProviderAway, SignInRefused } from '../channel/operators-provider';
import { PageError } from '../channel/page-error';
import { tryToSignIn } from '../channel/sign-in';
import type { PageDeps, SignInContext } from '../channel/signed-in-state';
import { answerPage, goTo } from '../pages/answer-page';
import { readCookie, setCookie } from '../pages/page-cookie';
import { signedInPage } from './pages/signed-in-page';
import { wayOn } from './paths';

// `Lax`: the browser sends it even when another site, the provider, leads back here.
const COOKIE = { name: 'gdx-ops-provider', sameSite: 'Lax' } as const;
const LONGEST_S = 10 * 60;

/** `GET /ops/sign-in/provider`: a link, since no form may lead to another site. */
export async function goToProvider(ctx: SignInContext, deps: PageDeps): Promise<void> {
  const provider = providerOf(deps);
  const secret = randomBytes(32).toString('base64url');
  const url = await explained(ctx, provider.begin(secret, wayOn(String(ctx.query['to'] ?? ''))));
  setCookie(ctx, deps.pages, { ...COOKIE, value: secret, seconds: LONGEST_S });
  goTo(ctx, url);
}

/** `GET /ops/sign-in/from-provider`: opens the session of whoever the provider names, by their groups. */
export async function comeFromProvider(ctx: SignInContext, deps: PageDeps): Promise<void> {
  const provider = providerOf(deps);
  const { door, logged } = ctx.state;
  const secret = readCookie(ctx, deps.pages, COOKIE.name);
  if (!secret) throw new PageError('signInStale');
  setCookie(ctx, deps.pages, { ...COOKIE, value: '' }); // it is good for one try
  const finish = () => explained(ctx, provider.finish(secret, ctx.querystring));
  const { claims, to } = await tryToSignIn(ctx, deps, finish, 'provider');
  const [name, role] = [nameOfClaims(claims), roleOfGroups(claims, provider.settings)];
  Object.assign(logged, { sign_in: role ? 'right' : 'no group', operator: name });
  if (!role) throw new PageError('noGroup');
  const token = await openNamedSession(deps.store, { name, role });
  setDoorCookie(ctx, deps.pages, door, { purpose: 'session', token });
  // A redirect would still come from the provider and carry no session (SameSite=Strict): hence this page.
  ctx.set('Refresh', `0; url=${wayOn(to)}`);
  answerPage(ctx, signedInPage({ service: deps.pages.serviceName, door, name, to: wayOn(to) }));
}

function providerOf({ provider }: PageDeps): OperatorsProvider {
  if (!provider) throw new PageError('noProvider');
  return provider;
}

/** Turns an error of the provider into a page. The log gets the reason in a word. */
async function explained<T>(ctx: SignInContext, asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    const isKnown = error instanceof ProviderAway || error instanceof SignInRefused;
    if (!isKnown) throw error;
    ctx.state.logged['provider'] = error.message;
    throw new PageError(error instanceof ProviderAway ? 'providerAway' : 'signInRefused');
  }
}
