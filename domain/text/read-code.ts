import { legible } from './pasted-text';

/** A typed or pasted code without blanks and hyphens. */
export const readCode = (typed: string): string => legible(typed).replace(/[\s\-\u2010-\u2015]/g, '');

/** The most characters that are read of a typed code: eight digits with a blank or two between them. */
export const LONGEST_CODE = 20;
