import { storedNotes } from '../setup/stored-notes';
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
  const stored = await storedNotes(scene.store);
  const committed = new Set(scene.committed().flat());
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
