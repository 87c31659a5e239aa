import type { Language } from '../../../domain/language';
import { en, type Texts } from './en';
import { es } from './es';

/** A key that one of them lacks is an error of types. */
export const TEXTS: Record<Language, Texts> = { en, es };

/** Which words were agreed to; kept with every consent. Moves when the check page says something else. */
export const CONSENT_TEXT_VERSION = '2026-11-28';

/** Of a stop on /sharing, which shows its own words of the same version and no check page. */
export const SHARING_TEXT_VERSION = `${CONSENT_TEXT_VERSION}/sharing`;
