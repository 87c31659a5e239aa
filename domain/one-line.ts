const LONGEST = 200;

/** What people typed as a name or a reason, trimmed: 1 to 200 characters on one line; undefined when it is not. */
export function oneLine(text: string): string | undefined {
  const trimmed = text.trim();
  const fits = trimmed.length > 0 && trimmed.length <= LONGEST && !/[\u0000-\u001f\u007f]/.test(trimmed);
  return fits ? trimmed : undefined;
}
