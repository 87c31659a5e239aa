import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import type { RequestState } from '../http/route';
import { answerFarmerPages } from './answer-farmer-pages';
import { PATHS, SHARING } from './paths';
import { FarmerPageError } from './farmer-page-error';

/**
 * Unknown paths below the farmers' pages, such as a link with a stray character. Browsers get a page; programs, which
 * do not accept HTML, get the usual 404.
 */
export function answerUnknownPages(log: Logger): Middleware<RequestState> {
  const pages = answerFarmerPages(log);
  return (ctx, next) => {
    const isPage = [PATHS.link, SHARING.entry].some((page) => ctx.path.startsWith(`${page}/`));
    const isBrowser = ctx.method === 'GET' && isPage && ctx.accepts('json', 'html') === 'html';
    return isBrowser ? pages(ctx, () => Promise.reject(new FarmerPageError('unknownPage'))) : next();
  };
}
