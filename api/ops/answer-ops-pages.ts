import type { Middleware } from 'koa';
import { isUnavailable } from '../../store/unavailable';
import { answerPage } from '../pages/answer-page';
import { HttpError } from '../http-error';
import { pageHeaders } from '../pages/page-headers';
import { BadForm } from '../pages/read-form';
import { reportError } from '../report-error';
import type { Deps, RequestState } from '../route';
import { OpsTrouble } from './ops-trouble';
import { opsTroublePage } from './pages/ops-trouble-page';
import { answerSignIn } from './sign-in';
import { OPS_STYLE } from './style';

const HEADERS = pageHeaders(OPS_STYLE);

/** Whatever happens to an operator's request, he gets a page that says what to do. */
export function answerOpsPages(deps: Deps): Middleware<RequestState> {
  return async (ctx, next) => {
    ctx.set(HEADERS);
    try {
      await next();
    } catch (error) {
      const trouble = toTrouble(error);
      ctx.state.logged['trouble'] = trouble.kind;
      if (error instanceof HttpError) ctx.set(error.headers);
      if (trouble.kind === 'defect' || isUnavailable(error)) reportError(deps.log, ctx.state, error);
      if (trouble.waitMs) ctx.set('Retry-After', String(Math.ceil(trouble.waitMs / 1_000)));
      if (trouble.kind === 'signedOut') return answerSignIn(ctx, deps, trouble.status);
      const { requestId } = ctx.state;
      answerPage(ctx, opsTroublePage({ trouble, requestId, service: deps.ops.serviceName }), trouble.status);
    }
  };
}

const OF_HTTP = { RATE_LIMITED: 'limited', UNAVAILABLE: 'busy', VALIDATION_ERROR: 'invalid' } as const;

function toTrouble(error: unknown): OpsTrouble {
  if (error instanceof OpsTrouble) return error;
  if (error instanceof BadForm) return new OpsTrouble('unreadable');
  if (isUnavailable(error)) return new OpsTrouble('busy');
  const known = error instanceof HttpError && OF_HTTP[error.code as keyof typeof OF_HTTP];
  return new OpsTrouble(known || 'defect');
}
