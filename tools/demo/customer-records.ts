import type { EntityType } from '../../domain/records/entity-types';
import { perType } from './per-type';

/** A record as the customer holds it, without its wrapper. */
export interface HeldRecord {
  id: string;
  remote_id: string;
  updated_at: string;
  [field: string]: unknown;
}

/** What the customer has come to hold, and how. */
export interface CustomerReport {
  held: Record<EntityType, HeldRecord[]>;
  /** Changes that came for the first time; a change is one record at one `updated_at`. */
  delivered: Record<EntityType, number>;
  /** Changes that had come before. */
  repeated: Record<EntityType, number>;
}

/** The customer's own database: by record, the newest `updated_at` wins (docs/contract.md C4). */
export class CustomerRecords {
  private readonly held = perType(() => new Map<string, HeldRecord>());
  private readonly seen = new Set<string>();
  private readonly delivered = perType(() => 0);
  private readonly repeated = perType(() => 0);

  apply(type: EntityType, records: HeldRecord[]): void {
    for (const record of records) {
      const change = `${type} ${record.id} ${record.updated_at}`;
      (this.seen.has(change) ? this.repeated : this.delivered)[type] += 1;
      this.seen.add(change);
      const before = this.held[type].get(record.id);
      if (!before || record.updated_at >= before.updated_at) this.held[type].set(record.id, record);
    }
  }

  /** Drops later changes, as restoring a backup does. */
  lose(type: EntityType, since: string): void {
    for (const record of this.held[type].values()) {
      if (record.updated_at >= since) this.held[type].delete(record.id);
    }
  }

  report(): CustomerReport {
    const { held, delivered, repeated } = this;
    return { held: perType((type) => [...held[type].values()]), delivered, repeated };
  }
}
