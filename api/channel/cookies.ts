import type { ParameterizedContext } from 'koa';
import { randomBytes } from 'node:crypto';
import { PAGE_SESSION_MS } from '../../store/sessions/page-sessions';
import { readCookie, setCookie } from '../pages/page-cookie';
import type { Door } from './door';
import type { PageSettings } from './signed-in-state';

type Purpose = 'session' | 'form';

export const readDoorCookie = (
  ctx: ParameterizedContext,
  settings: PageSettings,
  door: Door,
  purpose: Purpose,
) => readCookie(ctx, settings, nameOf(door, purpose));

/** `Strict`, so that requests from other sites carry no session. An empty token deletes the cookie. */
export const setDoorCookie = (
  ctx: ParameterizedContext,
  settings: PageSettings,
  door: Door,
  { purpose, token }: { purpose: Purpose; token: string },
) =>
  setCookie(ctx, settings, {
    name: nameOf(door, purpose),
    value: token,
    sameSite: 'Strict',
    seconds: PAGE_SESSION_MS.longest / 1_000,
  });

const nameOf = ({ cookie }: Door, purpose: Purpose) => (purpose === 'session' ? cookie : `${cookie}-form`);

/** The CSRF token of the sign-in form, stored in a cookie while there is no session. */
export function formTokenOf(ctx: ParameterizedContext, settings: PageSettings, door: Door): string {
  const known = readDoorCookie(ctx, settings, door, 'form');
  if (known) return known;
  const token = randomBytes(32).toString('base64url');
  setDoorCookie(ctx, settings, door, { purpose: 'form', token });
  return token;
}
