/** A name without case, blanks and punctuation, for comparison: `Net Weight` becomes `netweight`. */
export const plainName = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/**
 * The name most similar to a misspelt one; undefined when none is similar.
 * @param most the number of letters that may differ
 */
export function nearestName(
  name: string,
  names: readonly string[],
  most = Math.max(2, name.length / 3),
): string | undefined {
  const plain = plainName(name);
  const near = names
    .map((other) => [distance(plain, plainName(other)), other] as const)
    .sort(([one], [two]) => one - two)[0];
  return near && near[0] <= most ? near[1] : undefined;
}

/** The number of letters to change, add or leave out. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++)
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (one[i - 1] === other[j - 1] ? 0 : 1));
    row = next;
  }
  return row[other.length]!;
}
