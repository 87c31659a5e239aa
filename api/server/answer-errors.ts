import type { Middleware } from 'koa';
import { TooManyActions } from '../../control/record-action';
import { MalformedBody } from '../../domain/records/strict-json';
import { isUnavailable } from '../../store/unavailable';
import { HttpError, rateLimited, unavailable } from '../http/http-error';
import { AbortedUpload } from './read-body';
import type { RequestState } from '../http/route';

/** Turns every error into an HTTP response (docs/contract.md A2). */
export const answerErrors: Middleware<RequestState> = async (ctx, next) => {
  try {
    await next();
  } catch (error) {
    const answer = toHttpError(error);
    // An HttpError is an intended response. Anything else is a defect, or a dependency that is unavailable.
    if (answer.code === 'INTERNAL' || (answer.code === 'UNAVAILABLE' && !(error instanceof HttpError)))
      ctx.state.failed = error;
    ctx.state.logged['code'] = answer.code;
    ctx.status = answer.status;
    ctx.set(answer.headers);
    ctx.set('Content-Type', 'application/json');
    ctx.body = answer.toBody(ctx.state.requestId);
  }
};

function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (error instanceof MalformedBody) return new HttpError('MALFORMED_BODY', `${error.message}.`);
  if (error instanceof AbortedUpload) return new HttpError('MALFORMED_BODY', 'The body did not arrive.');
  if (error instanceof TooManyActions) return rateLimited(error.waitMs);
  if (isUnavailable(error)) return unavailable();
  return new HttpError('INTERNAL', 'Something went wrong on our side.');
}
