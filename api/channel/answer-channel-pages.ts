import { TooManyActions } from '../../control/record-action';
import { isUnavailable } from '../../store/unavailable';
import { answerPage } from '../pages/answer-page';
import { HttpError } from '../http/http-error';
import { answerErrorPages } from '../pages/page-pipeline';
import { BadForm } from '../pages/read-form';
import { type Door, pageOfForm } from './door';
import { isPageErrorKind, PageError } from './page-error';
import { errorPage } from './views/error-page';
import { answerSignIn } from './sign-in';
import { CHANNEL_STYLE } from './style';
import type { PageDeps } from './signed-in-state';

/** Turns every error of a request for these pages into a page that says what to do. */
export const answerChannelPages = (deps: PageDeps, door: Door) =>
  answerErrorPages(CHANNEL_STYLE, {
    settings: deps.pages,
    toPageError,
    errorOf: ({ kind, waitMs }) => (isPageErrorKind(kind) ? new PageError(kind, waitMs) : undefined),
    report(ctx, { kind }, error) {
      if (kind === 'defect' || isUnavailable(error)) ctx.state.failed = error;
    },
    answer(ctx, pageError, requestId) {
      const { status } = pageError;
      if (pageError.kind === 'signedOut') return answerSignIn(ctx, deps, door, status);
      answerPage(ctx, errorPage({ pageError, requestId, door, service: deps.pages.serviceName }), status);
    },
    pageOf: (path) => pageOfForm(door, path),
  });

const OF_HTTP = {
  NOT_FOUND: 'noAccount',
  RATE_LIMITED: 'crowded',
  UNAVAILABLE: 'busy',
  VALIDATION_ERROR: 'invalid',
} as const;

function toPageError(error: unknown): PageError {
  if (error instanceof PageError) return error;
  if (error instanceof TooManyActions) return new PageError('crowded', error.waitMs);
  if (error instanceof BadForm) return new PageError('unreadable');
  if (isUnavailable(error)) return new PageError('busy');
  const known = error instanceof HttpError && OF_HTTP[error.code as keyof typeof OF_HTTP];
  return new PageError(known || 'defect');
}
