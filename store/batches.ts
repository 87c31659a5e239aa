/** How much is written, or asked for by key, at once: a `$in` of thousands makes a slow plan (design 5). */
const BATCH = 500;

export function* batchesOf<T>(items: T[], size = BATCH): Generator<T[]> {
  for (let first = 0; first < items.length; first += size) yield items.slice(first, first + size);
}
