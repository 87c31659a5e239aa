import type { ParameterizedContext } from 'koa';
import { type FarmerSession, findFarmerSession, type Visit } from '../../store/sessions/farmer-sessions';
import type { Store } from '../../store/store';
import { readCookie, setCookie } from '../pages/page-cookie';
import type { FarmerSettings } from './farmer-state';

// A browser has one visit of each kind, and neither opens the pages of the other.
const NAMES: Record<Visit, string> = { link: 'gdx', sharing: 'gdx-sharing' };

/** The session of a visit that this browser has, if any. */
export async function sessionOf(
  ctx: ParameterizedContext,
  { store, farmer }: { store: Store; farmer: FarmerSettings },
  visit: Visit,
): Promise<FarmerSession | null> {
  const token = readSessionCookie(ctx, farmer, visit);
  return token === undefined ? null : findFarmerSession(store, token, visit);
}

export const readSessionCookie = (ctx: ParameterizedContext, settings: FarmerSettings, visit: Visit) =>
  readCookie(ctx, settings, NAMES[visit]);

/**
 * Sets the session's cookie, which ends with the browser session. It is `Lax`, so that it is still sent on the way back
 * from the customer's site. An empty token deletes it.
 */
export const setSessionCookie = (
  ctx: ParameterizedContext,
  settings: FarmerSettings,
  visit: Visit,
  token: string,
) => setCookie(ctx, settings, { name: NAMES[visit], value: token, sameSite: 'Lax' });
