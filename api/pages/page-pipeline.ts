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
import { say, takeSaid } from './said';

/** The limits that all pages of the process share: for requests of an address, those in progress, and bytes of forms. */
export interface PageLimits {
  visits: RateLimiter;
  inProgress: Middleware;
  forms: ByteBudget;
}

/** The parts that differ between the farmer's pages and those of a channel. */
interface PageStack {
  answerErrors: Middleware<RequestState>;
  /** Shows the error that the form before has left for this page. */
  answerSaid: Middleware<RequestState>;
  /** The checks before a form is read: they find the session, or give a form token before there is one. */
  enter: unknown[];
  acceptForm: unknown;
  /** What is right around the handler. */
  last?: unknown[];
}

/** The checks of a page's route. Their errors become pages. */
export function pagePipeline(
  route: RouteTraits,
  serving: Serving,
  { visits, inProgress, forms }: PageLimits,
  stackOf: (room: FormRoom) => PageStack,
): unknown[] {
  const room = formRoom(route, forms);
  const { answerErrors, answerSaid, enter, acceptForm, last = [] } = stackOf(room);
  return [
    answerErrors,
    refuseUnlessServing(serving, route.caller),
    limitAddress(visits, countedAddress),
    inProgress,
    answerInTime,
    answerHead,
    ...enter,
    route.method === 'POST' ? acceptForm : answerSaid,
    ...last,
  ];
}

/** HEAD of a page gets the headers of every page, and changes nothing: a program that looks ahead uses up no code and ends no visit. */
const answerHead: Middleware<RequestState> = (ctx, next) => {
  if (ctx.method !== 'HEAD') return next();
  ctx.status = 200;
};

/** The error that is shown instead of the page that was asked for. */
interface ShownError {
  kind: string;
  waitMs?: number | undefined;
  /** Where its page leads back to, where that is not the page itself. */
  back?: string | undefined;
}

interface ErrorPages<E extends ShownError> {
  settings: { production: boolean };
  toPageError(error: unknown): E;
  /** The error that a form has left for the next page, if it is one. */
  errorOf(said: { kind: string; waitMs: number; back: string | undefined }): E | undefined;
  /** Logs an error that is ours. */
  report(ctx: PageContext, shown: E, error: unknown): void;
  answer(ctx: PageContext, shown: E, requestId: string): void;
  /** The page of a form. */
  pageOf(path: string): string;
}

type PageContext = Parameters<Middleware<RequestState>>[0];

/** The word that says that the words behind it are an error's. */
const ERROR = 'error';
const PATH = /^(?:\/[a-z-]+)+$/;

/** Turns every error of a request for a page into a page that says what to do: of a form, into the one that comes next. */
export function answerErrorPages<E extends ShownError>(
  style: string,
  { settings, toPageError, errorOf, report, answer, pageOf }: ErrorPages<E>,
): Pick<PageStack, 'answerErrors' | 'answerSaid'> {
  const headers = pageHeaders(style);
  const show = (ctx: PageContext, shown: E, requestId: string) => {
    if (shown.waitMs) ctx.set('Retry-After', String(Math.ceil(shown.waitMs / 1_000)));
    answer(ctx, shown, requestId);
  };
  return {
    async answerErrors(ctx, next) {
      ctx.set(headers);
      try {
        await next();
      } catch (error) {
        const shown = toPageError(error);
        ctx.state.logged['page_error'] = shown.kind;
        if (error instanceof HttpError) ctx.set(error.headers);
        report(ctx, shown, error);
        const { kind, waitMs = 0, back = '' } = shown;
        const { requestId } = ctx.state;
        if (ctx.method === 'POST')
          return say(ctx, settings, pageOf(ctx.path), ERROR, kind, String(waitMs), requestId, back);
        show(ctx, shown, requestId);
      }
    },
    answerSaid(ctx, next) {
      const said = (ctx.state.said = takeSaid(ctx, settings));
      const [word, kind = '', waitMs, requestId = '', back = ''] = said;
      const of = { kind, waitMs: Number(waitMs) || 0, back: PATH.test(back) ? back : undefined };
      const shown = word === ERROR ? errorOf(of) : undefined;
      return shown ? show(ctx, shown, requestId) : next();
    },
  };
}

/** Headers of every page: only its own style, nothing from other origins, no caching. */
export function pageHeaders(style: string, images = 'data:'): Record<string, string> {
  const hash = createHash('sha256').update(style).digest('base64');
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': [
      "default-src 'none'",
      `style-src 'sha256-${hash}'`,
      `img-src ${images}`,
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'Referrer-Policy': 'no-referrer',
    'X-Frame-Options': 'DENY',
    'Cache-Control': 'no-store',
  };
}
