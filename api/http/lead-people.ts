import type { Middleware } from 'koa';

/** Pages that people type the address of. */
const PAGES = ['/sharing', '/customer', '/docs', '/ops'];

/**
 * Leads a person to the page that is meant by the bare address, a slash or a sentence's end behind it, or capitals. Programs,
 * which do not accept HTML, get the usual 404.
 * @param bare where the bare address leads
 */
export function leadPeople(bare: '/sharing' | '/ops'): Middleware {
  return (ctx, next) => {
    const plain = ctx.path.toLowerCase().replace(/[/.,;:!)]+$/, ''); // also what ends a sentence
    const meant = plain === '' ? bare : PAGES.find((page) => page === plain);
    const isLed = meant !== undefined && meant !== ctx.path;
    if (!isLed || ctx.method !== 'GET' || ctx.accepts('json', 'html') !== 'html') return next();
    ctx.redirect(meant);
    return undefined;
  };
}
