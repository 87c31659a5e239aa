import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import { HttpError } from '../http-error';
import { pageHeaders } from '../pages/page-headers';
import { reportError } from '../report-error';
import type { RequestState } from '../route';
import { answerPage } from '../pages/answer-page';
import { troublePage } from './pages/trouble-page';
import { preferredLanguage } from './preferred-language';
import { STYLE } from './style';
import { Trouble } from './trouble';
import type { Visit } from './visit';

const HEADERS = pageHeaders(STYLE);

/** Whatever happens to a farmer's request, he gets a page that says what to do. */
export function answerPages(log: Logger): Middleware<RequestState & Partial<Visit>> {
  return async (ctx, next) => {
    ctx.set(HEADERS);
    try {
      await next();
    } catch (error) {
      const trouble = error instanceof Trouble ? error : new Trouble('busy');
      ctx.state.logged['trouble'] = trouble.kind;
      if (error instanceof HttpError) ctx.set(error.headers);
      else if (!(error instanceof Trouble)) reportError(log, ctx.state, error);
      const { waitMs } = trouble.details;
      if (waitMs) ctx.set('Retry-After', String(Math.ceil(waitMs / 1000)));
      const first = ctx.state.session?.language ?? preferredLanguage(ctx);
      const { status } = error instanceof HttpError ? error : trouble;
      answerPage(ctx, troublePage({ first, trouble, here: ctx.path }), status);
    }
  };
}
