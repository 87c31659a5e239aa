import { ENTITY_TYPES, type EntityType } from '../../domain/records/entity-types';
import type { ShownFields } from '../../domain/records/shown-fields';
import { shownRecord } from '../../domain/records/shown-record';
import type { Channel } from '../channels/channels';
import { batchesOf, type RecordDocument, records } from '../records/records';
import type { Store } from '../store';
import { isSharedAt } from '../window/selection';
import { type DigestBase, readDigestBase } from './digest-base';
import { digestRecords } from './digest-records';

/** Records of one type, as a page of the channel has them, in JSON. */
export interface SentBatch {
  type: EntityType;
  records: string[];
}

/**
 * The records that a customer was sent of these accounts, if they are shared with it, in the version that its digest counts.
 * Changes that are still to be sent are left out; records that it refused are not. A split names only these accounts.
 * Never yields an empty batch.
 */
export async function* sentRecords(
  store: Store,
  channel: Channel,
  { accounts, fields, signal }: { accounts: string[]; fields: ShownFields; signal: AbortSignal },
): AsyncGenerator<SentBatch> {
  for (const type of ENTITY_TYPES.filter((one) => channel.entity_types.includes(one))) {
    const session = store.client.startSession({ causalConsistency: true });
    try {
      const all = await readDigestBase(store, channel._id, type, session);
      if (!all) continue;
      const { shared } = all.selection;
      const theirs = new Set(accounts.filter((account) => shared?.has(account)));
      const base = { ...all, selection: { ...all.selection, shared: theirs } };
      for await (const batch of digestRecords(store, type, base, { session, signal })) {
        const held = new Map(
          batch.flatMap(({ id, updated_at, pending }) => (pending ? [] : [[id, updated_at]])),
        );
        const found = await shownOf(store, type, base, { held, fields });
        if (found.length > 0) yield { type, records: found };
      }
    } finally {
      await session.endSession();
    }
  }
}

async function shownOf(
  store: Store,
  type: EntityType,
  { selection }: DigestBase,
  { held, fields }: { held: ReadonlyMap<string, Date>; fields: ShownFields },
): Promise<string[]> {
  const found = new Map<string, string>();
  for (const ids of batchesOf([...held.keys()])) {
    const cursor = records(store, type).find<RecordDocument>({ _id: { $in: ids } });
    for await (const record of cursor) {
      // Another version since the walk is still to be sent.
      if (record.updated_at.getTime() !== held.get(record._id)?.getTime()) continue;
      const shared = { has: (account: string) => isSharedAt(selection, account, record.position) };
      found.set(record._id, shownRecord(type, record, { shared, fields }).toString());
    }
  }
  return [...held.keys()].flatMap((id) => found.get(id) ?? []);
}
