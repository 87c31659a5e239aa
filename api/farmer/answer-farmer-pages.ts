import type { Middleware } from 'koa';
import { HttpError } from '../http/http-error';
import { SessionMoved } from '../../store/sessions/farmer-sessions';
import { FarmerErased } from '../../store/consent/farmer-notices';
import { answerErrorPages } from '../pages/page-pipeline';
import { BadForm } from '../pages/read-form';
import type { RequestState } from '../http/route';
import { answerPage } from '../pages/answer-page';
import { farmerErrorPage, type PageName } from './pages/farmer-error-page';
import { PATHS, SHARING } from './paths';
import { preferredLanguage } from './preferred-language';
import { FARMER_STYLE } from './style';
import { FarmerPageError, isFarmerPageErrorKind } from './farmer-page-error';
import type { FarmerDeps, SessionState } from './farmer-state';

/** Retry links of pages whose own URL cannot be reopened. */
const HERE: Record<string, string> = {
  [PATHS.link]: '', // keeps the browser's current address: the link's parameters are repeated nowhere else
  // These routes take forms only; every verified visit has a page there with this form.
  [PATHS.signOut]: PATHS.accounts,
  [SHARING.signOut]: SHARING.customers,
};

/** Turns every error of a farmer's request into a page that says what to do. */
export const answerFarmerPages = ({ farmer }: Pick<FarmerDeps, 'farmer'>, pages: readonly PageName[] = []) =>
  answerErrorPages(FARMER_STYLE, {
    settings: farmer,
    toPageError,
    errorOf: ({ kind, waitMs, back }) =>
      isFarmerPageErrorKind(kind)
        ? new FarmerPageError(kind, { ...(waitMs > 0 && { waitMs }), ...(back && { back }) })
        : undefined,
    report(ctx, { kind }, error) {
      if (!(error instanceof HttpError) && kind === 'busy') ctx.state.failed = error;
    },
    answer(ctx, pageError) {
      const { session } = ctx.state as Partial<SessionState>;
      const first = session?.language ?? preferredLanguage(ctx);
      answerPage(
        ctx,
        farmerErrorPage({ first, pageError, here: HERE[ctx.path] ?? ctx.path, pages }),
        pageError.status,
      );
    },
    pageOf: (path) => path,
  });

const NO_PAGE = ['NOT_FOUND', 'METHOD_NOT_ALLOWED'];

function toPageError(error: unknown): FarmerPageError {
  if (error instanceof FarmerPageError) return error;
  if (error instanceof BadForm) return new FarmerPageError('invalid');
  if (error instanceof SessionMoved || error instanceof FarmerErased) return new FarmerPageError('stale');
  if (error instanceof HttpError && error.code === 'RATE_LIMITED') return new FarmerPageError('crowded');
  if (error instanceof HttpError && NO_PAGE.includes(error.code)) return new FarmerPageError('unknownPage');
  return new FarmerPageError('busy');
}

/**
 * Unknown paths, such as a link with a stray character. Browsers get a page that leads to the first page of each side; below the
 * farmers' pages to theirs alone. Programs, which do not accept HTML, get the usual 404, and so does everybody below `/api`.
 */
export function answerUnknownPages(
  deps: Pick<FarmerDeps, 'farmer'>,
  pages: readonly PageName[],
): Middleware<RequestState> {
  const farmers = answerFarmerPages(
    deps,
    pages.filter((page) => page === 'sharing'),
  );
  const all = answerFarmerPages(deps, pages);
  return (ctx, next) => {
    const isApi = /^\/+api(?:\/|$)/i.test(ctx.path);
    if (isApi || ctx.method !== 'GET' || ctx.accepts('json', 'html') !== 'html') return next();
    const isFarmers = [PATHS.link, SHARING.entry].some((page) => ctx.path.startsWith(`${page}/`));
    return (isFarmers ? farmers : all).answerErrors(ctx, next);
  };
}
