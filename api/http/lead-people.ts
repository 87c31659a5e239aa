import type { Middleware } from 'koa';

/** The pages whose addresses people type. */
const PAGES = ['/sharing', '/customer', '/docs', '/guide', '/ops'];

/** A slash, or punctuation that ends a sentence. Tried once for each run of them: a path may have 16,000. */
const ENDS = /(?<![/.,;:!)])[/.,;:!)]+$/;

/**
 * Redirects a browser to the page that was meant when the path is empty, has capitals, or ends in a slash or
 * punctuation. Programs, which do not accept HTML, get the usual 404.
 * @param bare the page for an empty path
 */
export function leadPeople(bare: '/sharing' | '/ops'): Middleware {
  return (ctx, next) => {
    const plain = ctx.path.toLowerCase().replace(ENDS, '');
    const meant = plain === '' ? bare : PAGES.find((page) => page === plain);
    const isLed = meant !== undefined && meant !== ctx.path;
    if (!isLed || ctx.method !== 'GET' || ctx.accepts('json', 'html') !== 'html') return next();
    ctx.redirect(meant);
    return undefined;
  };
}
