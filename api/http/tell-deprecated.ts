import type { Middleware } from 'koa';
import { DEPRECATIONS } from '../../domain/deprecations';
import type { RouteTraits } from './route';

/**
 * The middleware that lets each answer of a deprecated route say since when (RFC 9745), until when (RFC 8594), and where to read
 * on; none for other routes.
 */
export function tellDeprecated(
  { method, path }: Pick<RouteTraits, 'method' | 'path'>,
  rows = DEPRECATIONS,
): Middleware[] {
  const name = `${method} ${path.replace(/:(\w+)/g, '{$1}')}`;
  const row = rows.find(({ what }) => what === name);
  if (!row) return [];
  const headers = {
    Deprecation: `@${Date.parse(row.announced) / 1_000}`,
    Sunset: new Date(row.ends).toUTCString(),
    Link: '</docs>; rel="deprecation"; type="text/html"',
  };
  return [
    async (ctx, next) => {
      ctx.set(headers);
      await next();
    },
  ];
}
