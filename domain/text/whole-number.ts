/** A text of digits as a number; undefined outside the range. */
export function wholeIn({ min, max }: { min: number; max: number }, text: string): number | undefined {
  const number = /^\d{1,6}$/.test(text) ? Number(text) : NaN;
  return number >= min && number <= max ? number : undefined;
}
