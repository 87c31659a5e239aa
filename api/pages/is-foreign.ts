import type { ParameterizedContext } from 'koa';

/** `no-referrer` makes browsers send `Origin: null`: that passes, with a good token, unless it came across sites. */
export function isForeign(ctx: ParameterizedContext, publicUrl: string): boolean {
  if (ctx.get('Sec-Fetch-Site') === 'cross-site') return true;
  const origin = ctx.get('Origin');
  if (origin === '' || origin === 'null') return false;
  if (!URL.canParse(origin)) return true;
  return ![ctx.get('Host'), new URL(publicUrl).host].includes(new URL(origin).host);
}
