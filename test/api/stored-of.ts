import type { Store } from '../../store/store';

// Of a good token's last use, which a refused request leaves too; and what is noted of a push after its answer.
const LEFT_OUT = ['token_uses', 'push_activity'];

/** The document counts and the counters, which a refused request must not change. */
export async function storedOf(store: Store): Promise<Record<string, unknown>> {
  const all = (await store.db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name);
  const counts = all
    .filter((name) => !LEFT_OUT.includes(name))
    .sort()
    .map(countOf);
  return {
    counts: await store.db
      .collection('migrations')
      .aggregate([{ $limit: 1 }, ...counts])
      .toArray(),
    positions: await store.db.collection('counters').find().sort({ _id: 1 }).toArray(),
    markers: await store.db.collection('markers').find().sort({ _id: 1 }).toArray(),
  };
}

/** In one question for all collections: each of 35 would cost as much. */
const countOf = (name: string) => ({
  $unionWith: { coll: name, pipeline: [{ $group: { _id: name, count: { $sum: 1 } } }] },
});
