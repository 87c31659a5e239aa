import type { ParameterizedContext } from 'koa';
import { OPERATOR_SESSION_MS } from '../../store/operator-sessions';
import type { OpsSettings } from './visit';

type Purpose = 'session' | 'form';

const NAMES = { session: 'gdx-ops', form: 'gdx-ops-form' } as const;

/** 256 random bits, or undefined for anything that we have not set. */
export function readCookie(
  ctx: ParameterizedContext,
  settings: OpsSettings,
  purpose: Purpose,
): string | undefined {
  const prefix = `${nameOf(settings, purpose)}=`;
  const found = ctx.get('Cookie').split(/; */).find((cookie) => cookie.startsWith(prefix)); // prettier-ignore
  const token = found?.slice(prefix.length);
  return token && /^[\w-]{43}$/.test(token) ? token : undefined;
}

/** `Strict`: no other site sends an operator's browser here with what he may do. Empty: the browser forgets it. */
export function setCookie(
  ctx: ParameterizedContext,
  settings: OpsSettings,
  purpose: Purpose,
  token: string,
): void {
  const seconds = token === '' ? 0 : OPERATOR_SESSION_MS / 1_000;
  const flags = `Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${settings.production ? '; Secure' : ''}`;
  ctx.append('Set-Cookie', `${nameOf(settings, purpose)}=${token}; ${flags}`);
}

// `__Host-` lets no other host, nor a page without TLS, set it; without TLS a browser would refuse it.
const nameOf = ({ production }: OpsSettings, purpose: Purpose) =>
  `${production ? '__Host-' : ''}${NAMES[purpose]}`;
