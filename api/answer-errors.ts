import type { Middleware } from 'koa';
import { isNativeError } from 'node:util/types';
import type { Logger } from 'pino';
import { MalformedBody } from '../domain/malformed-body';
import { isUnavailable } from '../store/unavailable';
import { HttpError, unavailable } from './http-error';
import { AbortedUpload } from './read-body';
import type { RequestState } from './route';

/** The one place that turns errors into answers (contract 1). */
export function answerErrors(log: Logger): Middleware<RequestState> {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const answer = toHttpError(error);
      const level = levelOf(error, answer);
      if (level) log[level]({ request_id: ctx.state.requestId, error: described(error) }, 'request failed');
      ctx.state.logged['code'] = answer.code;
      ctx.status = answer.status;
      ctx.set(answer.headers);
      ctx.set('Content-Type', 'application/json');
      ctx.body = answer.toBody(ctx.state.requestId);
    }
  };
}

function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (error instanceof MalformedBody) return new HttpError('MALFORMED_BODY', `${error.message}.`);
  if (error instanceof AbortedUpload) return new HttpError('MALFORMED_BODY', 'The body did not arrive.');
  if (isUnavailable(error)) return unavailable();
  return new HttpError('INTERNAL', 'Something went wrong on our side.');
}

function levelOf(error: unknown, answer: HttpError): 'error' | 'warn' | undefined {
  if (answer.code === 'INTERNAL') return 'error';
  return answer.code === 'UNAVAILABLE' && !(error instanceof HttpError) ? 'warn' : undefined;
}

// Chosen fields only: the driver hangs documents with a farmer's phone on some of its errors.
function described(error: unknown) {
  if (!isNativeError(error)) return { type: typeof error };
  return { type: error.name, message: error.message, stack: error.stack };
}
