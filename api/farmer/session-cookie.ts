import type { ParameterizedContext } from 'koa';
import { cookieName, readCookie } from '../pages/session-cookie';
import type { FarmerSettings } from './visit';

const nameOf = (settings: FarmerSettings) => cookieName('gdx', settings);

export const readSessionCookie = (ctx: ParameterizedContext, settings: FarmerSettings) =>
  readCookie(ctx, nameOf(settings));

/** `Lax`, so that a farmer coming from the customer's site keeps it. It lives as long as the browser's window. */
export function setSessionCookie(ctx: ParameterizedContext, settings: FarmerSettings, token: string): void {
  const secure = settings.production ? '; Secure' : '';
  ctx.set('Set-Cookie', `${nameOf(settings)}=${token}; Path=/; HttpOnly; SameSite=Lax${secure}`);
}
