import type { ParameterizedContext } from 'koa';
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { gzipSync } from 'node:zlib';
import { escapedInPage } from '../../domain/text/escaped';

export const answerPage = (ctx: ParameterizedContext, page: VNode, status = 200): void =>
  answerHtml(ctx, `<!doctype html>${escapedInPage(renderToString(page))}`, status);

export function answerHtml(ctx: ParameterizedContext, page: string, status: number): void {
  const html = Buffer.from(page);
  ctx.status = status;
  ctx.set('Vary', 'Accept-Encoding');
  // What answers a form is kept, and compressed when it is shown.
  if (ctx.method === 'GET' && ctx.acceptsEncodings('gzip', 'identity') === 'gzip') {
    ctx.set('Content-Encoding', 'gzip');
    ctx.body = gzipSync(html);
  } else {
    ctx.body = html;
  }
}

/** Redirects to the next step by GET, so that reloading posts nothing. */
export function goTo(ctx: ParameterizedContext, path: string): void {
  ctx.status = 303;
  ctx.set('Location', path);
  ctx.body = null;
  ctx.status = 303; // Koa turns a null body into a 204
}
