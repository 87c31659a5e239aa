import type { ParameterizedContext } from 'koa';
import { knownDevice, rememberDevice } from '../../store/sessions/device-tokens';
import type { Store } from '../../store/store';
import { readCookie, setCookie } from '../pages/page-cookie';
import type { FarmerSettings } from './farmer-state';

const NAME = 'gdx-device';
// `rememberDevice` makes no longer token.
const TOKEN = /^[\w-]{1,360}$/;
const YEAR_S = 365 * 24 * 3_600;

interface Parts {
  store: Store;
  farmer: FarmerSettings;
}

const tokenIn = (ctx: ParameterizedContext, settings: FarmerSettings) =>
  readCookie(ctx, settings, NAME, TOKEN) ?? '';

/** OWASP's device cookie: identifies a known browser of this phone, if it is one (docs/decisions/0018). */
export const deviceOf = (ctx: ParameterizedContext, { store, farmer }: Parts, phone: string) =>
  knownDevice(store, tokenIn(ctx, farmer), phone);

/** Remembers the browser after a right code. The cookie is set beside that of the session. */
export function rememberBrowser(ctx: ParameterizedContext, { store, farmer }: Parts, phone: string): void {
  const value = rememberDevice(store, tokenIn(ctx, farmer), phone);
  setCookie(ctx, farmer, { name: NAME, value, sameSite: 'Lax', seconds: YEAR_S });
}
