import type { Middleware } from 'koa';
import { createHash } from 'node:crypto';
import { answerInTime } from '../http/answer-in-time';
import { countedAddress } from '../http/caller-address';
import { HttpError } from '../http/http-error';
import type { RequestState, RouteTraits, Serving } from '../http/route';
import { refuseUnlessServing } from '../http/serving';
import type { ByteBudget } from '../limits/byte-budget';
import { limitAddress, type RateLimiter } from '../limits/rate-limit';
import { formRoom, type FormRoom } from './read-form';

/** The limits that all pages of the process share: for requests of an address, those in progress, and bytes of forms. */
export interface PageLimits {
  visits: RateLimiter;
  inProgress: Middleware;
  forms: ByteBudget;
}

/** The parts that differ between the farmer's pages and those of a channel. */
interface PageStack {
  answerErrors: Middleware<RequestState>;
  /** The checks before a form is read: they find the session, or give a form token before there is one. */
  enter: unknown[];
  acceptForm: unknown;
}

/** The checks of a page's route. Their errors become pages. */
export function pagePipeline(
  route: RouteTraits,
  serving: Serving,
  { visits, inProgress, forms }: PageLimits,
  stackOf: (room: FormRoom) => PageStack,
): unknown[] {
  const room = formRoom(route, forms);
  const { answerErrors, enter, acceptForm } = stackOf(room);
  return [
    answerErrors,
    refuseUnlessServing(serving, route.caller),
    limitAddress(visits, countedAddress),
    inProgress,
    answerInTime,
    ...enter,
    ...(route.method === 'POST' ? [acceptForm] : []),
  ];
}

/** The error that is shown instead of the page that was asked for. */
interface ShownError {
  kind: string;
  waitMs?: number | undefined;
}

/** Turns every error of a request for a page into a page that says what to do. */
export function answerErrorPages<E extends ShownError>(
  style: string,
  {
    toPageError,
    answer,
  }: {
    toPageError(error: unknown): E;
    answer(ctx: Parameters<Middleware<RequestState>>[0], shown: E, error: unknown): void;
  },
): Middleware<RequestState> {
  const headers = pageHeaders(style);
  return async (ctx, next) => {
    ctx.set(headers);
    try {
      await next();
    } catch (error) {
      const shown = toPageError(error);
      ctx.state.logged['page_error'] = shown.kind;
      if (error instanceof HttpError) ctx.set(error.headers);
      if (shown.waitMs) ctx.set('Retry-After', String(Math.ceil(shown.waitMs / 1_000)));
      answer(ctx, shown, error);
    }
  };
}

/** Headers of every page: only its own style, nothing from other origins, no caching. */
function pageHeaders(style: string): Record<string, string> {
  const hash = createHash('sha256').update(style).digest('base64');
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': [
      "default-src 'none'",
      `style-src 'sha256-${hash}'`,
      'img-src data:',
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'Referrer-Policy': 'no-referrer',
    'X-Frame-Options': 'DENY',
    'Cache-Control': 'no-store',
  };
}
