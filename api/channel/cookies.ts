import type { ParameterizedContext } from 'koa';
import { PAGE_SESSION_MS } from '../../store/sessions/page-sessions';
import type { PageSettings } from './signed-in-state';
import { cookieName, readCookie } from '../pages/session-cookie';
import type { Door } from './door';

type Purpose = 'session' | 'form';

export const readDoorCookie = (
  ctx: ParameterizedContext,
  settings: PageSettings,
  door: Door,
  purpose: Purpose,
) => readCookie(ctx, nameOf(settings, door, purpose));

/** `Strict`, so that requests from other sites carry no session. An empty token deletes the cookie. */
export function setCookie(
  ctx: ParameterizedContext,
  settings: PageSettings,
  door: Door,
  { purpose, token }: { purpose: Purpose; token: string },
): void {
  const seconds = token === '' ? 0 : PAGE_SESSION_MS.longest / 1_000;
  const flags = `Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${settings.production ? '; Secure' : ''}`;
  ctx.append('Set-Cookie', `${nameOf(settings, door, purpose)}=${token}; ${flags}`);
}

const nameOf = (settings: PageSettings, { cookie }: Door, purpose: Purpose) =>
  cookieName(purpose === 'session' ? cookie : `${cookie}-form`, settings);
