import type { RouterContext } from '@koa/router';
import { HttpError, notFound } from './http-error';

/** No route matched: 404, or 405 with `Allow` when the path has other methods (docs/contract.md A3). */
export function unmatched(ctx: Pick<RouterContext, 'matched' | 'method' | 'set' | 'status'>): void {
  const methods = new Set(ctx.matched?.flatMap((layer) => layer.methods));
  if (methods.size === 0) throw notFound();
  const allow = [...methods].sort().join(', ');
  if (ctx.method !== 'OPTIONS') {
    throw new HttpError('METHOD_NOT_ALLOWED', `This address takes ${allow}.`, { headers: { Allow: allow } });
  }
  ctx.status = 204;
  ctx.set('Allow', allow);
}
