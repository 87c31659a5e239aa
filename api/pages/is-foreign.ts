import type { ParameterizedContext } from 'koa';

/** `no-referrer` makes browsers send `Origin: null`, which is accepted with a valid token unless it is cross-site. */
export function isForeign(ctx: ParameterizedContext, publicUrl: string): boolean {
  if (ctx.get('Sec-Fetch-Site') === 'cross-site') return true;
  const origin = ctx.get('Origin');
  if (origin === '' || origin === 'null') return false;
  if (!URL.canParse(origin)) return true;
  return ![ctx.get('Host'), new URL(publicUrl).host].includes(new URL(origin).host);
}
