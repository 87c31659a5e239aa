import type { Middleware } from 'koa';
import { isUnavailable } from '../../store/unavailable';
import { answerPage } from '../pages/answer-page';
import { HttpError } from '../http-error';
import { pageHeaders } from '../pages/page-headers';
import { BadForm } from '../pages/read-form';
import { reportError } from '../report-error';
import type { Deps, RequestState } from '../route';
import { OpsPageError } from './ops-page-error';
import { opsErrorPage } from './pages/ops-error-page';
import { answerSignIn } from './sign-in';
import { OPS_STYLE } from './style';

const HEADERS = pageHeaders(OPS_STYLE);

/** Turns every error of an operator's request into a page that says what to do. */
export function answerOpsPages(deps: Deps): Middleware<RequestState> {
  return async (ctx, next) => {
    ctx.set(HEADERS);
    try {
      await next();
    } catch (error) {
      const pageError = toPageError(error);
      ctx.state.logged['page_error'] = pageError.kind;
      if (error instanceof HttpError) ctx.set(error.headers);
      if (pageError.kind === 'defect' || isUnavailable(error)) reportError(deps.log, ctx.state, error);
      if (pageError.waitMs) ctx.set('Retry-After', String(Math.ceil(pageError.waitMs / 1_000)));
      if (pageError.kind === 'signedOut') return answerSignIn(ctx, deps, pageError.status);
      const { requestId } = ctx.state;
      answerPage(
        ctx,
        opsErrorPage({ pageError, requestId, service: deps.ops.serviceName }),
        pageError.status,
      );
    }
  };
}

const OF_HTTP = { RATE_LIMITED: 'limited', UNAVAILABLE: 'busy', VALIDATION_ERROR: 'invalid' } as const;

function toPageError(error: unknown): OpsPageError {
  if (error instanceof OpsPageError) return error;
  if (error instanceof BadForm) return new OpsPageError('unreadable');
  if (isUnavailable(error)) return new OpsPageError('busy');
  const known = error instanceof HttpError && OF_HTTP[error.code as keyof typeof OF_HTTP];
  return new OpsPageError(known || 'defect');
}
