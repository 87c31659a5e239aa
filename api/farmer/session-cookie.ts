import type { ParameterizedContext } from 'koa';
import { readCookie, setCookie } from '../pages/page-cookie';
import type { FarmerSettings } from './farmer-state';

export const readSessionCookie = (ctx: ParameterizedContext, settings: FarmerSettings) =>
  readCookie(ctx, settings, 'gdx');

/**
 * Sets the session's cookie, which ends with the browser session. It is `Lax`, so that it is still sent on the way back
 * from the customer's site. An empty token deletes it.
 */
export const setSessionCookie = (ctx: ParameterizedContext, settings: FarmerSettings, token: string) =>
  setCookie(ctx, settings, { name: 'gdx', value: token, sameSite: 'Lax' });
