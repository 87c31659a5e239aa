import type { ParameterizedContext } from 'koa';
import { knownDevice, rememberDevice } from '../../store/sessions/device-tokens';
import type { Store } from '../../store/store';
import { cookieName, cookieOf } from '../pages/session-cookie';
import type { FarmerSettings } from './farmer-state';

// The longest that `rememberDevice` makes.
const TOKEN = /^[\w-]{1,360}$/;
const YEAR_S = 365 * 24 * 3_600;

interface Parts {
  store: Store;
  farmer: FarmerSettings;
}

const nameOf = (settings: FarmerSettings) => cookieName('gdx-device', settings);

const tokenIn = (ctx: ParameterizedContext, settings: FarmerSettings) =>
  cookieOf(ctx, nameOf(settings), TOKEN) ?? '';

/** OWASP's device cookie: which known browser of this phone this is, if any (docs/decisions/0018). */
export const deviceOf = (ctx: ParameterizedContext, { store, farmer }: Parts, phone: string) =>
  knownDevice(store, tokenIn(ctx, farmer), phone);

/** After a right code. Appended, beside the session's cookie. */
export function rememberBrowser(ctx: ParameterizedContext, { store, farmer }: Parts, phone: string): void {
  const token = rememberDevice(store, tokenIn(ctx, farmer), phone);
  const secure = farmer.production ? '; Secure' : '';
  const kept = `Path=/; Max-Age=${YEAR_S}; HttpOnly; SameSite=Lax${secure}`;
  ctx.append('Set-Cookie', `${nameOf(farmer)}=${token}; ${kept}`);
}
