import { legible } from './pasted-text';

/** A typed or pasted code without blanks and hyphens. */
export const readCode = (typed: string): string => legible(typed).replace(/[\s\-\u2010-\u2015]/g, '');
