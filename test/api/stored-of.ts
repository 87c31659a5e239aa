import type { Store } from '../../store/connect';

/** How many documents each collection holds, and where the counters stand: what a refused request must not change. */
export async function storedOf(store: Store): Promise<Record<string, unknown>> {
  const names = (await store.db.listCollections().toArray()).map(({ name }) => name).sort();
  const counts = names.map(async (name) => [name, await store.db.collection(name).countDocuments()] as const);
  return {
    ...Object.fromEntries(await Promise.all(counts)),
    positions: await store.db.collection('counters').find().sort({ _id: 1 }).toArray(),
    markers: await store.db.collection('markers').find().sort({ _id: 1 }).toArray(),
  };
}
