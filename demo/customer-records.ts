import type { EntityType } from '../domain/entity-types';
import type { HeldRecord, Report } from './customer-messages';
import { perType } from './per-type';

/** The customer's own database: by record, the newest `updated_at` wins (contract 3). */
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

  /** As after a restored backup: what has changed since is gone. */
  lose(type: EntityType, since: string): void {
    for (const record of this.held[type].values()) {
      if (record.updated_at >= since) this.held[type].delete(record.id);
    }
  }

  report(): Omit<Report, 'signatures'> {
    const { held, delivered, repeated } = this;
    return { held: perType((type) => [...held[type].values()]), delivered, repeated };
  }
}
