import type { ParameterizedContext } from 'koa';
import { isLanguage, LANGUAGES, type Language } from '../../domain/text/language';

/** The browser's preferred language, if we have it; otherwise English. */
export function preferredLanguage(ctx: Pick<ParameterizedContext, 'acceptsLanguages'>): Language {
  const language = ctx.acceptsLanguages([...LANGUAGES]);
  return isLanguage(language) ? language : 'en';
}
