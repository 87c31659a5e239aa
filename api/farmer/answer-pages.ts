import type { Middleware } from 'koa';
import { isNativeError } from 'node:util/types';
import type { Logger } from 'pino';
import { isUnavailable } from '../../store/unavailable';
import { HttpError } from '../http-error';
import type { RequestState } from '../route';
import { answerPage } from './answer-page';
import { troublePage } from './pages/trouble-page';
import { preferredLanguage } from './preferred-language';
import { STYLE_SOURCE } from './style';
import { Trouble } from './trouble';
import type { Visit } from './visit';

const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': [
    "default-src 'none'",
    `style-src ${STYLE_SOURCE}`,
    'img-src data:',
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
  'Cache-Control': 'no-store',
};

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
      else if (!(error instanceof Trouble)) report(log, ctx.state, error);
      const { waitMs } = trouble.details;
      if (waitMs) ctx.set('Retry-After', String(Math.ceil(waitMs / 1000)));
      const first = ctx.state.session?.language ?? preferredLanguage(ctx);
      const { status } = error instanceof HttpError ? error : trouble;
      answerPage(ctx, troublePage({ first, trouble, here: ctx.path }), status);
    }
  };
}

// Chosen fields only: an error may carry what the farmer typed.
function report(log: Logger, state: RequestState, error: unknown): void {
  const described = isNativeError(error)
    ? { type: error.name, message: error.message, stack: error.stack }
    : { type: typeof error };
  log[isUnavailable(error) ? 'warn' : 'error'](
    { request_id: state.requestId, error: described },
    'request failed',
  );
}
