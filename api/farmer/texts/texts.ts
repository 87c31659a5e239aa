import type { Language } from '../../../domain/text/language';
import { en, type Texts } from './en';
import { es } from './es';

/** A catalog that lacks a key does not compile. */
export const TEXTS: Record<Language, Texts> = { en, es };

/** The version of the consent text, kept with every consent. It changes with the words of the check page. */
export const CONSENT_TEXT_VERSION = '2026-11-30';

/** The version for a stop on /sharing, which shows words of its own and no check page. */
export const SHARING_TEXT_VERSION = `${CONSENT_TEXT_VERSION}/sharing`;
