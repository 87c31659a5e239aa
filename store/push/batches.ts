/** Items per query or write: a `$in` of thousands makes a slow plan (docs/architecture.md#in-mongodb). */
const BATCH = 500;

export function* batchesOf<T>(items: T[], size = BATCH): Generator<T[]> {
  for (let first = 0; first < items.length; first += size) yield items.slice(first, first + size);
}
