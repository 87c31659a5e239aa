import type { ParameterizedContext } from 'koa';
import { cookieName, readCookie } from '../pages/session-cookie';
import type { FarmerSettings } from './farmer-state';

const nameOf = (settings: FarmerSettings) => cookieName('gdx', settings);

export const readSessionCookie = (ctx: ParameterizedContext, settings: FarmerSettings) =>
  readCookie(ctx, nameOf(settings));

/**
 * `Lax`, so that it survives the way back from the customer's site. It ends with the browser session. An empty token
 * deletes it.
 */
export function setSessionCookie(ctx: ParameterizedContext, settings: FarmerSettings, token: string): void {
  const flags = `${token === '' ? '; Max-Age=0' : ''}${settings.production ? '; Secure' : ''}`;
  ctx.append('Set-Cookie', `${nameOf(settings)}=${token}; Path=/; HttpOnly; SameSite=Lax${flags}`);
}
