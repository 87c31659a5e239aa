import { legible } from './pasted-text';

/** The digits of a typed or pasted code. */
export const readCode = (typed: string): string => legible(typed).replace(/[\s\-\u2010-\u2015]/g, '');
