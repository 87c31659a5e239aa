import type { ReferredState } from '../../domain/records/check/findings';
import type { RecordType } from '../../domain/records/commands';
import { batchesOf } from '../records/records';
import type { Store } from '../store';

// A few MB. Records name the same accounts and contracts again and again.
const MOST_KEPT = 50_000;

/** What is stored under ids that records name; the last ones asked for are remembered. */
export class Referred {
  private readonly known = new Map<string, ReferredState>();

  constructor(
    private readonly store: Store,
    private readonly type: RecordType,
  ) {}

  /** Reads the states of all these in a few queries, so that `of` has them. */
  async read(ids: readonly string[]): Promise<void> {
    if (this.known.size > MOST_KEPT) this.known.clear();
    const asked = [...new Set(ids)].filter((id) => !this.known.has(id));
    for (const id of asked) this.known.set(id, 'missing');
    const collection = this.store.db.collection<{ _id: string; deleted_at?: Date | null }>(this.type);
    for (const some of batchesOf(asked)) {
      const found = collection.find({ _id: { $in: some } }, { projection: { deleted_at: 1 } });
      for await (const { _id, deleted_at } of found) this.known.set(_id, deleted_at ? 'deleted' : 'live');
    }
  }

  of(id: string): ReferredState {
    return this.known.get(id)!;
  }
}
