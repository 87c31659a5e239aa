import type { FindCursor } from 'mongodb';

interface WithId {
  _id: string;
}

interface Keyed<T> {
  found: T;
  /** Ids are in the order of their bytes. */
  key: Buffer;
}

/** One cursor, and what it has read that is still to come. */
interface Source<T> {
  cursor: FindCursor<T>;
  held: Keyed<T>[];
}

/** Everything that was found above the previous stretch, up to and including `upTo`. */
export interface Stretch<T> {
  found: T[];
  upTo: Buffer;
}

export const bytesOfId = (id: string) => Buffer.from(id);

/**
 * Merges cursors that are each in the order of ids. Yields one stretch of ids after the other, unsorted within a stretch.
 * A document that two cursors find is in it twice. Holds one batch of each cursor.
 */
export async function* mergeById<T extends WithId>(cursors: FindCursor<T>[]): AsyncGenerator<Stretch<T>> {
  let open = cursors.map((cursor): Source<T> => ({ cursor, held: [] }));
  try {
    for (;;) {
      for (const source of open) if (source.held.length === 0) source.held = await nextOf(source.cursor);
      open = open.filter(({ held }) => held.length > 0);
      if (open.length === 0) return;
      const upTo = open.map(({ held }) => held.at(-1)!.key).reduce((a, b) => (a.compare(b) <= 0 ? a : b));
      yield { found: open.flatMap((source) => takeUpTo(source, upTo)), upTo };
    }
  } finally {
    for (const cursor of cursors) await cursor.close();
  }
}

async function nextOf<T extends WithId>(cursor: FindCursor<T>): Promise<Keyed<T>[]> {
  if (!(await cursor.hasNext())) return [];
  return cursor.readBufferedDocuments().map((found) => ({ found, key: bytesOfId(found._id) }));
}

function takeUpTo<T>({ held }: Source<T>, upTo: Buffer): T[] {
  const above = held.findIndex(({ key }) => key.compare(upTo) > 0);
  return held.splice(0, above === -1 ? held.length : above).map(({ found }) => found);
}
