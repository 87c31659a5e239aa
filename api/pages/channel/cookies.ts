import type { ParameterizedContext } from 'koa';
import { PAGE_SESSION_MS } from '../../../store/access/page-sessions';
import type { OpsSettings } from '../../ops/ops-settings';
import { cookieName, readCookie } from '../session-cookie';
import type { Door } from './door';

type Purpose = 'session' | 'form';

export const readDoorCookie = (
  ctx: ParameterizedContext,
  settings: OpsSettings,
  door: Door,
  purpose: Purpose,
) => readCookie(ctx, nameOf(settings, door, purpose));

/** `Strict`, so that requests from other sites carry no session. An empty token deletes the cookie. */
export function setCookie(
  ctx: ParameterizedContext,
  settings: OpsSettings,
  door: Door,
  { purpose, token }: { purpose: Purpose; token: string },
): void {
  const seconds = token === '' ? 0 : PAGE_SESSION_MS.longest / 1_000;
  const flags = `Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${settings.production ? '; Secure' : ''}`;
  ctx.append('Set-Cookie', `${nameOf(settings, door, purpose)}=${token}; ${flags}`);
}

const nameOf = (settings: OpsSettings, { cookie }: Door, purpose: Purpose) =>
  cookieName(purpose === 'session' ? cookie : `${cookie}-form`, settings);
