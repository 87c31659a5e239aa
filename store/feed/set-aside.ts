import type { EntityType } from '../../domain/entity-types';
import type { Store } from '../store';
import { isDuplicateKey } from '../unavailable';

/**
 * A record that a customer refused when it was sent alone. It waits here and blocks no other (docs/contract.md C10).
 */
export interface SetAside {
  /** `<channel>/<entity_type>/<record id>` */
  _id: string;
  channel: string;
  entity_type: EntityType;
  record: string;
  position: number;
  failure: 'refused' | 'too_large';
  status: number;
  /** The beginning of the customer's response. */
  answer: string;
  delivery: string;
  at: Date;
  /** Released: sent again with the next run. */
  released_at?: Date;
}

type Where = Pick<SetAside, 'channel' | 'entity_type'>;

const setAsides = (store: Store) => store.db.collection<SetAside>('set_aside');

export const setAsideIndexes = [{ name: 'channel', key: { channel: 1, entity_type: 1, record: 1 } }];

/**
 * Stores a refusal. A newer one replaces it; one of an older version of the record changes nothing.
 * @returns its time, which identifies this refusal
 */
export async function setAside(store: Store, refused: Omit<SetAside, '_id' | 'at'>): Promise<Date> {
  const at = new Date();
  const _id = `${refused.channel}/${refused.entity_type}/${refused.record}`;
  const notNewer = { _id, position: { $lte: refused.position } };
  const replace = () => setAsides(store).replaceOne(notNewer, { ...refused, at }, { upsert: true });
  const unlessThere = (error: unknown) => {
    if (!isDuplicateKey(error)) throw error;
  };
  // Retried once: of two concurrent inserts, the later one may be the newer.
  await replace().catch((error: unknown) => {
    unlessThere(error);
    return replace().catch(unlessThere);
  });
  return at;
}

/** The ids of the records of one channel and entity type that are set aside, with their times. */
export async function readSetAside(
  store: Store,
  { channel, entity_type }: Where,
): Promise<Map<string, Date>> {
  const kept = await setAsides(store)
    .find({ channel, entity_type }, { projection: { record: 1, at: 1 } })
    .toArray();
  return new Map(kept.map(({ record, at }) => [record, at]));
}

/**
 * Removes confirmed records. Version and time identify each refusal, as another delivery may have set aside a newer
 * version, or the same one after a reset, whose marker has passed it.
 */
export async function clearSetAside(
  store: Store,
  { channel, entity_type }: Where,
  versions: Pick<SetAside, 'record' | 'position' | 'at'>[],
): Promise<void> {
  const each = versions.map(({ record, position, at }) => ({ record, position: { $lte: position }, at }));
  await setAsides(store).deleteMany({ channel, entity_type, $or: each });
}

/** Removes a released record, unless it was set aside or released again since. */
export async function forgetReleased(store: Store, { _id, released_at }: SetAside): Promise<void> {
  await setAsides(store).deleteMany({ _id, released_at: released_at! });
}

/** In the order of listing and, once released, of delivery. */
export async function listSetAside(
  store: Store,
  channel: string,
  filter: { entity_type?: EntityType | undefined; released?: boolean; limit?: number } = {},
): Promise<SetAside[]> {
  const { entity_type, released, limit } = filter;
  const found = setAsides(store)
    .find({
      channel,
      ...(entity_type ? { entity_type } : {}),
      ...(released === undefined ? {} : { released_at: { $exists: released } }),
    })
    .sort({ entity_type: 1, record: 1 });
  return (limit === undefined ? found : found.limit(limit)).toArray();
}

/** The number of released records by entity type. */
export async function countReleased(store: Store, channel: string): Promise<Map<EntityType, number>> {
  const released = await listSetAside(store, channel, { released: true });
  const counts = new Map<EntityType, number>();
  for (const { entity_type } of released) counts.set(entity_type, (counts.get(entity_type) ?? 0) + 1);
  return counts;
}

/**
 * Releases the named records, or all of the channel, to be sent again with the next run.
 * @returns the number of records released
 */
export async function releaseSetAside(
  store: Store,
  channel: string,
  which: { entity_type?: EntityType | undefined; records?: string[] },
): Promise<number> {
  const { entity_type, records } = which;
  const released = await setAsides(store).updateMany(
    {
      channel,
      ...(entity_type ? { entity_type } : {}),
      ...(records && records.length > 0 ? { record: { $in: records } } : {}),
    },
    { $set: { released_at: new Date() } },
  );
  return released.matchedCount;
}
