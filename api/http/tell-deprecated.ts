import type { Middleware } from 'koa';
import { DEPRECATIONS } from '../../domain/deprecations';
import type { RouteTraits } from './route';

/**
 * Middleware for a deprecated route, none for other routes. It adds headers to each answer: since when the
 * route is deprecated (RFC 9745), until when it works (RFC 8594), and where to read more.
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
