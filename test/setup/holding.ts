import { BSON } from 'mongodb';
import type { Store } from '../../store/store';

/** Collections in which any of these bytes stands. */
export async function holding(store: Store, secrets: Buffer[]): Promise<string[]> {
  const found = new Set<string>();
  for (const { collectionName, ...collection } of await store.db.collections()) {
    void collection;
    for await (const document of store.db.collection(collectionName).find()) {
      const bytes = Buffer.from(BSON.serialize(document));
      if (secrets.some((secret) => bytes.includes(secret))) found.add(collectionName);
    }
  }
  return [...found];
}
