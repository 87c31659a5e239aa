import type { ParameterizedContext } from 'koa';
import { maskToken } from '../pages/csrf';
import type { FarmerPageContext } from './pages/layout';
import { TEXTS } from './texts/texts';
import type { FarmerDeps, SessionState } from './farmer-state';

/** Makes the context that all pages of a session share. */
export function farmerPageContext(
  ctx: ParameterizedContext<SessionState>,
  { farmer }: FarmerDeps,
): FarmerPageContext {
  const { language, csrf, verified } = ctx.state.session;
  return {
    texts: TEXTS[language],
    language,
    service: farmer.serviceName,
    action: ctx.path,
    csrf: maskToken(csrf),
    verified,
  };
}
