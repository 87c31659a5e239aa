import type { Document } from 'mongodb';
import type { Store } from '../../store/store';

// Of a good token's last use and what limits count, which a refused request leaves too; what is noted of a push after its answer.
const LEFT_OUT = ['token_uses', 'push_activity', 'attempt_counts'];

/** The document counts and the counters, which a refused request must not change. */
export async function storedOf(store: Store): Promise<Record<string, unknown>> {
  return {
    counts: await ofEachCollection(store, LEFT_OUT, (name) => [
      { $group: { _id: name, count: { $sum: 1 } } },
    ]),
    positions: await store.db.collection('counters').find().sort({ _id: 1 }).toArray(),
    markers: await store.db.collection('markers').find().sort({ _id: 1 }).toArray(),
  };
}

/** What a pipeline finds in each collection, in one question for all: each of 35 would cost as much. */
export async function ofEachCollection(
  { db }: Store,
  leftOut: string[],
  pipelineOf: (name: string) => Document[],
): Promise<Document[]> {
  const all = (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name);
  const counted = all.filter((name) => !leftOut.includes(name)).sort();
  const unions = counted.map((coll) => ({ $unionWith: { coll, pipeline: pipelineOf(coll) } }));
  return db
    .collection('migrations')
    .aggregate([{ $limit: 1 }, ...unions])
    .toArray();
}
