import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import type { RequestState } from '../route';
import { answerPages } from './answer-pages';
import { PATHS } from './paths';
import { Trouble } from './trouble';

/**
 * Below the farmers' page, what no route took: a link that got a character too many on its way, for instance. Browsers
 * get a page; programs, which ask for no HTML, the answer of every unknown address.
 */
export function answerStrays(log: Logger): Middleware<RequestState> {
  const pages = answerPages(log);
  return (ctx, next) => {
    const stray =
      ctx.method === 'GET' && ctx.path.startsWith(`${PATHS.link}/`) && ctx.accepts('json', 'html') === 'html';
    return stray ? pages(ctx, () => Promise.reject(new Trouble('astray'))) : next();
  };
}
