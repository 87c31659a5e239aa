import type { EntityType } from '../../domain/records/entity-types';
import { readMarkers } from '../../store/markers/markers';
import { readCeilings } from '../../store/records/counters';
import type { Store } from '../../store/store';
import { eventually } from '../setup/eventually';

/** Waits until the channel has passed everything stored by now. */
export async function untilPassed(
  store: Store,
  { slug, types }: { slug: string; types: readonly EntityType[] },
): Promise<void> {
  const ceilings = await readCeilings(store);
  const catchUps = { channel: slug, account: { $exists: true } };
  const toBegin = { channel: slug, state: 'granted', to_begin: { $in: [...types] } };
  await eventually(async () => {
    const markers = await readMarkers(store, slug);
    for (const type of types) expect(markers.get(type)?.position).toBe(ceilings[type]);
    expect(await store.db.collection('subscriptions').countDocuments(toBegin)).toBe(0);
    expect(await store.db.collection('markers').countDocuments(catchUps)).toBe(0);
  });
}
