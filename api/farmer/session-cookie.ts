import type { ParameterizedContext } from 'koa';
import { readCookie, setCookie } from '../pages/page-cookie';
import type { FarmerSettings } from './farmer-state';

export const readSessionCookie = (ctx: ParameterizedContext, settings: FarmerSettings) =>
  readCookie(ctx, settings, 'gdx');

/**
 * `Lax`, so that it survives the way back from the customer's site. It ends with the browser session. An empty token
 * deletes it.
 */
export const setSessionCookie = (ctx: ParameterizedContext, settings: FarmerSettings, token: string) =>
  setCookie(ctx, settings, { name: 'gdx', value: token, sameSite: 'Lax' });
