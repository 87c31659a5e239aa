import type { ParameterizedContext } from 'koa';
import { isLanguage, LANGUAGES, type Language } from '../../domain/language';

/** The browser's choice of ours, English when it has none. */
export function preferredLanguage(ctx: Pick<ParameterizedContext, 'acceptsLanguages'>): Language {
  const language = ctx.acceptsLanguages([...LANGUAGES]);
  return isLanguage(language) ? language : 'en';
}
