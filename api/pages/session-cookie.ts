import type { ParameterizedContext } from 'koa';

// `__Host-` lets no other host, nor a page without TLS, set it; without TLS a browser would refuse it.
export const cookieName = (name: string, { production }: { production: boolean }) =>
  `${production ? '__Host-' : ''}${name}`;

/** The 256 random bits in the cookie of that name, or undefined for anything that we have not set. */
export function readCookie(ctx: ParameterizedContext, name: string): string | undefined {
  const prefix = `${name}=`;
  const cookies = ctx.get('Cookie').split(/; */);
  const token = cookies.find((cookie) => cookie.startsWith(prefix))?.slice(prefix.length);
  return token && /^[\w-]{43}$/.test(token) ? token : undefined;
}
