import type { ParameterizedContext } from 'koa';

// With `__Host-` no other host and no page without TLS can set the cookie; without TLS browsers refuse the prefix.
export const cookieName = (name: string, { production }: { production: boolean }) =>
  `${production ? '__Host-' : ''}${name}`;

/** The cookie's 256 random bits, or undefined for any value that we have not set. */
export const readCookie = (ctx: ParameterizedContext, name: string) => cookieOf(ctx, name, /^[\w-]{43}$/);

/** A cookie whose value has this form. */
export function cookieOf(ctx: ParameterizedContext, name: string, form: RegExp): string | undefined {
  const prefix = `${name}=`;
  const cookies = ctx.get('Cookie').split(/; */);
  const value = cookies.find((cookie) => cookie.startsWith(prefix))?.slice(prefix.length);
  return value !== undefined && form.test(value) ? value : undefined;
}
