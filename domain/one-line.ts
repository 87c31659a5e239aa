export const LONGEST_LINE = 200;

/** A name or a reason, trimmed; undefined unless it has 1 to 200 characters on one line. */
export function oneLine(text: string): string | undefined {
  const trimmed = text.trim();
  const fits = trimmed.length > 0 && trimmed.length <= LONGEST_LINE && !/[\u0000-\u001f\u007f]/.test(trimmed);
  return fits ? trimmed : undefined;
}
