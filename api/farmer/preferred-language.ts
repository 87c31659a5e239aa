import type { ParameterizedContext } from 'koa';
import { isLanguage, LANGUAGES, type Language } from '../../domain/language';

/** The browser's preferred language among ours, else English. */
export function preferredLanguage(ctx: Pick<ParameterizedContext, 'acceptsLanguages'>): Language {
  const language = ctx.acceptsLanguages([...LANGUAGES]);
  return isLanguage(language) ? language : 'en';
}
