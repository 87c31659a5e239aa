import type { EntityType } from './entity-types';
import { type Company, keepsOfStored, renderRecord, type RenderedRecord } from './render-record';
import type { PushedRecord } from './validate-push';

/**
 * A valid record that is rendered on first use and then kept. Records of a large push are rendered while the database
 * writes the ones before them (docs/decisions/0029).
 */
export class RecordToRender {
  readonly id: string;
  /** Whether it keeps something of the stored record, of which `asStored` then needs the bytes. */
  readonly keeps: boolean;
  private known: RenderedRecord | undefined;

  constructor(
    private readonly type: EntityType,
    private record: PushedRecord | undefined,
    private readonly company: Company,
  ) {
    this.id = `${company.id}-${record!.id}`;
    this.keeps = keepsOfStored(type, record!);
  }

  get rendered(): RenderedRecord {
    this.known ??= renderRecord(this.type, this.record!, this.company);
    this.record = undefined; // the parsed body can be freed
    return this.known;
  }
}
