import type { Store } from '../store';

/** A page that repeatedly draws the same 5xx, or is cut off. */
export interface Stumble {
  /** 0: it was cut off. */
  status: number;
  /** Tells this page from others that begin in the same document: where its marker is, or when its first record was released. */
  position: number;
  since: Date;
  /** The last delivery that it happened in, and the number of deliveries. */
  delivery: string;
  deliveries: number;
}

/** The document that a page begins with: its marker, or the first of the records that were released. */
export interface StumbleAt {
  collection: 'markers' | 'set_aside';
  id: string;
}

/** Counts the deliveries in which a page has had the same end. @returns the current count */
export async function noteStumble(
  store: Store,
  { collection, id }: StumbleAt,
  seen: Pick<Stumble, 'status' | 'position' | 'delivery'>,
): Promise<Stumble> {
  const documents = store.db.collection<{ _id: string; stumble?: Stumble }>(collection);
  const known = (await documents.findOne({ _id: id }))?.stumble;
  const isSame = known?.status === seen.status && known.position === seen.position;
  if (isSame && known.delivery === seen.delivery) return known;
  const before = isSame ? known : { since: new Date(), deliveries: 0 };
  const stumble = { ...seen, since: before.since, deliveries: before.deliveries + 1 };
  await documents.updateOne({ _id: id }, { $set: { stumble } });
  return stumble;
}
