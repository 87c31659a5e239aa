import type { ParameterizedContext } from 'koa';
import type { Deps } from '../route';
import { maskToken } from '../pages/csrf';
import type { Frame } from './pages/layout';
import { TEXTS } from './texts/texts';
import type { Visit } from './visit';

/** What the pages of a visit have in common. */
export function frameOf(ctx: ParameterizedContext<Visit>, { farmer }: Deps): Frame {
  const { language, csrf } = ctx.state.session;
  return {
    texts: TEXTS[language],
    language,
    service: farmer.serviceName,
    action: ctx.path,
    csrf: maskToken(csrf),
  };
}
