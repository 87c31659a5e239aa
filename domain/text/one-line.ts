import { trimmed } from './pasted-text';

export const LONGEST_LINE = 200;

export const MUST_BE_ONE_LINE = `must be 1 to ${LONGEST_LINE} characters on one line`;
export const NOT_ONE_LINE = `It ${MUST_BE_ONE_LINE}.`;

/** Trims a name or a reason; undefined unless it then has 1 to 200 characters on one line. */
export function oneLine(text: string): string | undefined {
  const line = trimmed(text);
  const fits = line.length > 0 && line.length <= LONGEST_LINE && !/[\u0000-\u001f\u007f]/.test(line);
  return fits ? line : undefined;
}
