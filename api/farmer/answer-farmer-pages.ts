import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import { HttpError } from '../http/http-error';
import { SessionMoved } from '../../store/sessions/farmer-sessions';
import { FarmerErased } from '../../store/consent/farmer-notices';
import { pageHeaders } from '../pages/page-headers';
import { BadForm } from '../pages/read-form';
import { reportError } from '../http/report-error';
import type { RequestState } from '../http/route';
import { answerPage } from '../pages/answer-page';
import { farmerErrorPage } from './pages/farmer-error-page';
import { PATHS, SHARING } from './paths';
import { preferredLanguage } from './preferred-language';
import { FARMER_STYLE } from './style';
import { FarmerPageError } from './farmer-page-error';
import type { SessionState } from './farmer-state';

const HEADERS = pageHeaders(FARMER_STYLE);

/** Retry links of pages whose own URL cannot be reopened. */
const HERE: Record<string, string> = {
  [PATHS.link]: '', // keeps the browser's current address: the link's parameters are repeated nowhere else
  [PATHS.signOut]: SHARING.entry, // takes forms only; every verified visit has a page there, with that form
};

/** Turns every error of a farmer's request into a page that says what to do. */
export function answerFarmerPages(log: Logger): Middleware<RequestState & Partial<SessionState>> {
  return async (ctx, next) => {
    ctx.set(HEADERS);
    try {
      await next();
    } catch (error) {
      const pageError = toPageError(error);
      ctx.state.logged['page_error'] = pageError.kind;
      if (error instanceof HttpError) ctx.set(error.headers);
      else if (pageError.kind === 'busy') reportError(log, ctx.state, error);
      const { waitMs } = pageError.details;
      if (waitMs) ctx.set('Retry-After', String(Math.ceil(waitMs / 1000)));
      const first = ctx.state.session?.language ?? preferredLanguage(ctx);
      const { status } = error instanceof HttpError ? error : pageError;
      answerPage(ctx, farmerErrorPage({ first, pageError, here: HERE[ctx.path] ?? ctx.path }), status);
    }
  };
}

function toPageError(error: unknown): FarmerPageError {
  if (error instanceof FarmerPageError) return error;
  if (error instanceof BadForm) return new FarmerPageError('invalid');
  if (error instanceof SessionMoved || error instanceof FarmerErased) return new FarmerPageError('stale');
  if (error instanceof HttpError && error.code === 'RATE_LIMITED') return new FarmerPageError('crowded');
  return new FarmerPageError('busy');
}
