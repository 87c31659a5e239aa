import type { ParameterizedContext } from 'koa';
import type { FarmerSettings } from './visit';

// `__Host-` lets no other host, nor a page without TLS, set it; without TLS a browser would refuse it.
const nameOf = ({ production }: FarmerSettings) => (production ? '__Host-gdx' : 'gdx');

export function readSessionCookie(ctx: ParameterizedContext, settings: FarmerSettings): string | undefined {
  const [prefix, cookies] = [`${nameOf(settings)}=`, ctx.get('Cookie').split(/; */)];
  const token = cookies.find((cookie) => cookie.startsWith(prefix))?.slice(prefix.length);
  return token && /^[\w-]{43}$/.test(token) ? token : undefined;
}

/** `Lax`, so that a farmer coming from the customer's site keeps it. It lives as long as the browser's window. */
export function setSessionCookie(ctx: ParameterizedContext, settings: FarmerSettings, token: string): void {
  const secure = settings.production ? '; Secure' : '';
  ctx.set('Set-Cookie', `${nameOf(settings)}=${token}; Path=/; HttpOnly; SameSite=Lax${secure}`);
}
