import type { ClientSession } from 'mongodb';
import { ENTITY_TYPES } from '../../domain/records/entity-types';
import { records } from '../../store/records/records';
import type { Store } from '../../store/store';

/**
 * `<entity type> <id>` -> the note that the stored record has.
 * `session`: with an open transaction, for one view of all types while pushes are being stored.
 */
export async function storedNotes(store: Store, session?: ClientSession): Promise<Map<string, string>> {
  const notes = new Map<string, string>();
  for (const type of ENTITY_TYPES) {
    const found = records(store, type).find({}, { projection: { wire: 1 }, ...(session && { session }) });
    for await (const { wire } of found) {
      const wrapped = JSON.parse(wire.toString()) as Record<string, { remote_id: string; note: string }>;
      for (const { remote_id, note } of Object.values(wrapped)) notes.set(`${type} ${remote_id}`, note);
    }
  }
  return notes;
}
