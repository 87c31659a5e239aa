import type { Store } from '../../store/store';

// Of a good token's last use, which a refused request leaves too; and what is noted of a push after its answer.
const LEFT_OUT = ['token_uses', 'push_activity'];

/** The document counts and the counters, which a refused request must not change. */
export async function storedOf(store: Store): Promise<Record<string, unknown>> {
  const all = (await store.db.listCollections().toArray()).map(({ name }) => name).sort();
  const names = all.filter((name) => !LEFT_OUT.includes(name));
  const counts = names.map(async (name) => [name, await store.db.collection(name).countDocuments()] as const);
  return {
    ...Object.fromEntries(await Promise.all(counts)),
    positions: await store.db.collection('counters').find().sort({ _id: 1 }).toArray(),
    markers: await store.db.collection('markers').find().sort({ _id: 1 }).toArray(),
  };
}
