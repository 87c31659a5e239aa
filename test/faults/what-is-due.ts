import { ENTITY_TYPES } from '../../domain/entity-types';
import { records } from '../../store/push/records';
import type { Scene } from './scene';

/** What every customer must hold: `<entity type> <id>` -> note. */
export interface Due {
  due: Map<string, string>;
  /** The pushes, by note, that MongoDB acknowledged on the wire and holds no more: they cannot be delivered. */
  forgotten: string[];
}

/**
 * What was answered 204 is due. What the store does not hold is due all the same, unless MongoDB had answered the push's
 * commit with ok: a 204 without that is the service's own fault.
 */
export async function whatIsDue(scene: Scene): Promise<Due> {
  const due = new Map(scene.erps.flatMap((erp) => [...erp.acknowledged]));
  const stored = await storedNotes(scene);
  const committed = scene.committed();
  const forgotten = new Set<string>();
  for (const [record, note] of [...due]) {
    const kept = stored.get(record);
    if (kept === note || !committed.has(note)) continue;
    forgotten.add(note);
    if (kept === undefined) due.delete(record);
    else due.set(record, kept);
  }
  return { due, forgotten: [...forgotten] };
}

async function storedNotes({ store }: Scene): Promise<Map<string, string>> {
  const stored = new Map<string, string>();
  for (const type of ENTITY_TYPES) {
    for await (const { wire } of records(store, type).find({}, { projection: { wire: 1 } })) {
      const wrapped = JSON.parse(wire.toString()) as Record<string, { remote_id: string; note: string }>;
      for (const { remote_id, note } of Object.values(wrapped)) stored.set(`${type} ${remote_id}`, note);
    }
  }
  return stored;
}
