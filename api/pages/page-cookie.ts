import type { ParameterizedContext } from 'koa';

interface Secure {
  production: boolean;
}

// With `__Host-` no other host and no page without TLS can set the cookie; without TLS browsers refuse the prefix.
export const cookieName = (name: string, { production }: Secure) => `${production ? '__Host-' : ''}${name}`;

/** Reads a cookie; undefined unless its value has this form, by default that of a session's 256 bits. */
export function readCookie(
  ctx: ParameterizedContext,
  settings: Secure,
  name: string,
  form = /^[\w-]{43}$/,
): string | undefined {
  const prefix = `${cookieName(name, settings)}=`;
  const cookies = ctx.get('Cookie').split(/; */);
  const value = cookies.find((cookie) => cookie.startsWith(prefix))?.slice(prefix.length);
  return value !== undefined && form.test(value) ? value : undefined;
}

/**
 * Sets a cookie that no script reads. An empty value deletes it.
 * @param seconds how long the browser keeps it; without it, as long as it runs
 */
export function setCookie(
  ctx: ParameterizedContext,
  settings: Secure,
  {
    name,
    value,
    sameSite,
    seconds,
  }: { name: string; value: string; sameSite: 'Lax' | 'Strict'; seconds?: number },
): void {
  const kept = value === '' ? 0 : seconds;
  const flags = [
    'Path=/',
    ...(kept === undefined ? [] : [`Max-Age=${kept}`]),
    'HttpOnly',
    `SameSite=${sameSite}`,
    ...(settings.production ? ['Secure'] : []),
  ];
  ctx.append('Set-Cookie', `${cookieName(name, settings)}=${value}; ${flags.join('; ')}`);
}
