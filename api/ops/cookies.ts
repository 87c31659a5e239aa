import type { ParameterizedContext } from 'koa';
import { OPERATOR_SESSION_MS } from '../../store/access/operator-sessions';
import { cookieName, readCookie } from '../pages/session-cookie';
import type { OpsSettings } from './operator-state';

type Purpose = 'session' | 'form';

const NAMES = { session: 'gdx-ops', form: 'gdx-ops-form' } as const;

export const readOpsCookie = (ctx: ParameterizedContext, settings: OpsSettings, purpose: Purpose) =>
  readCookie(ctx, nameOf(settings, purpose));

/** `Strict`, so that requests from other sites carry no operator's session. An empty token deletes the cookie. */
export function setCookie(
  ctx: ParameterizedContext,
  settings: OpsSettings,
  purpose: Purpose,
  token: string,
): void {
  const seconds = token === '' ? 0 : OPERATOR_SESSION_MS.longest / 1_000;
  const flags = `Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${settings.production ? '; Secure' : ''}`;
  ctx.append('Set-Cookie', `${nameOf(settings, purpose)}=${token}; ${flags}`);
}

const nameOf = (settings: OpsSettings, purpose: Purpose) => cookieName(NAMES[purpose], settings);
