/** Merges two ascending lists without duplicates, and keeps the first `most` positions. */
export function mergePositions(some: number[], others: number[], most: number): number[] {
  if (others.length === 0) return some;
  const merged: number[] = [];
  for (let i = 0, j = 0; merged.length < most && (i < some.length || j < others.length);) {
    const one = some[i] ?? Infinity;
    const other = others[j] ?? Infinity;
    merged.push(Math.min(one, other));
    if (one <= other) i += 1;
    if (other <= one) j += 1;
  }
  return merged;
}
