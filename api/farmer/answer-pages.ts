import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import { HttpError } from '../http-error';
import { SessionMoved } from '../../store/farmer-sessions';
import { pageHeaders } from '../pages/page-headers';
import { BadForm } from '../pages/read-form';
import { reportError } from '../report-error';
import type { RequestState } from '../route';
import { answerPage } from '../pages/answer-page';
import { troublePage } from './pages/trouble-page';
import { PATHS } from './paths';
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
      const trouble = troubleOf(error);
      ctx.state.logged['trouble'] = trouble.kind;
      if (error instanceof HttpError) ctx.set(error.headers);
      else if (trouble.kind === 'busy') reportError(log, ctx.state, error);
      const { waitMs } = trouble.details;
      if (waitMs) ctx.set('Retry-After', String(Math.ceil(waitMs / 1000)));
      const first = ctx.state.session?.language ?? preferredLanguage(ctx);
      const { status } = error instanceof HttpError ? error : trouble;
      // The link's parameters stay in the browser's address, and nowhere else: '' is that address.
      const here = ctx.path === PATHS.link ? '' : ctx.path;
      answerPage(ctx, troublePage({ first, trouble, here }), status);
    }
  };
}

function troubleOf(error: unknown): Trouble {
  if (error instanceof Trouble) return error;
  if (error instanceof BadForm) return new Trouble('invalid');
  if (error instanceof SessionMoved) return new Trouble('stale');
  if (error instanceof HttpError && error.code === 'RATE_LIMITED') return new Trouble('crowded');
  return new Trouble('busy');
}
