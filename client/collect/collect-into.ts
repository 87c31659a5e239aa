import { ENTITY_TYPES } from '../../domain/records/entity-types';
import type { CollectedPage, FeedClient } from '../listen/feed-client';
import { type FedRecord, RecordTable } from './record-table';

/** A test page of the operator has no record of anybody (docs/contract.md C6). */
const TEST = 'test_';

/**
 * A folder with a table for each entity type. A page is in its table, whole and on disk, before it is confirmed, so nothing is lost
 * wherever this is killed: the page comes again.
 */
export class CollectedFolder {
  private readonly tables = new Map<string, RecordTable>();

  constructor(
    private readonly folder: string,
    private readonly feed: FeedClient,
  ) {}

  async take({ id, entityType, body }: CollectedPage): Promise<{ isConfirmed: true; said: string }> {
    const table = await this.table(entityType);
    const { data } = JSON.parse(body.toString()) as { data: Record<string, FedRecord>[] };
    if (!id.startsWith(TEST)) for (const wrapper of data) table.take(Object.values(wrapper)[0]!);
    await table.save();
    return { isConfirmed: true, said: `${table.size} rows` };
  }

  /**
   * Deletes what farmers no longer share from every table, also of a type that the channel has lost since, and says so.
   * @returns how many rows went, for how many accounts
   */
  async deleteStopped(): Promise<{ accounts: number; rows: number }> {
    const { toDelete, shared } = await this.feed.stopped();
    let rows = 0;
    if (toDelete.size === 0) return { accounts: 0, rows };
    for (const type of ENTITY_TYPES) {
      const table = await this.table(type);
      const dropped = table.drop(toDelete, shared);
      if (dropped > 0) await table.save(); // a type that was never carried gets no file
      rows += dropped;
    }
    for (const account of toDelete) await this.feed.confirmDeleted(account);
    return { accounts: toDelete.size, rows };
  }

  private async table(type: string): Promise<RecordTable> {
    const known = this.tables.get(type) ?? (await RecordTable.open(this.folder, type));
    this.tables.set(type, known);
    return known;
  }
}
