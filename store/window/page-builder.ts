import { BSON, BSONType, type ClientSession, type Filter } from 'mongodb';
import type { EntityType } from '../../domain/records/entity-types';
import { type PageRecord, type RecordDocument, records } from '../records/records';
import type { Store } from '../store';
import { definedOptions, readBatches, type ReadOptions } from './seek-positions';
import type { Selection } from './selection';

/** The next records of a window, in position order. */
export interface Page {
  records: PageRecord[];
  /** The window holds no other records up to this position. */
  end: number;
}

/** Whether a page may grow to so many bytes of records. */
export type MayHold = (bytes: number) => boolean;

export type ReadPage = (after: number, limit: number, upTo: number, mayHold?: MayHold) => Promise<Page>;

/** After so many positions without a record of the channel, an empty page is returned so that the marker moves. */
export const STRETCH = 20_000;

// The limit of a push; without one, many large records would exhaust the worker's memory.
export const MAX_BYTES = 16 * 1024 * 1024;

/** Collects a page from batches of records. */
export class PageBuilder implements Page {
  readonly records: PageRecord[] = [];
  private bytes = 0;

  constructor(
    public end: number,
    private readonly limit: number,
    private readonly mayHold: MayHold = () => true,
  ) {}

  get wanted(): number {
    return this.limit - this.records.length;
  }

  /** Adds the channel's records of batches in position order. @returns whether the page is full */
  async fill<T extends PageRecord>(
    batches: AsyncIterable<T[]>,
    isOurs: (record: T) => boolean = () => true,
  ): Promise<boolean> {
    for await (const batch of batches) {
      for (const record of batch) {
        if (isOurs(record)) {
          this.bytes += record.wire.length;
          const fits = this.mayHold(this.bytes) && this.bytes <= MAX_BYTES;
          if (!fits && this.records.length > 0) return true;
          this.records.push(record);
        }
        this.end = record.position;
        if (this.wanted === 0) return true;
      }
    }
    return false;
  }

  isEmptySince(began: number): boolean {
    return this.records.length === 0 && this.end - began >= STRETCH;
  }
}

/** Type, offset and length of the name, offset and length of the value. */
type Element = [type: number, nameOffset: number, nameLength: number, offset: number, length: number];

// Before the bytes of a Binary: its length and its subtype.
const BINARY_HEADER = 5;
// Before those of a string its length, and after them a null byte.
const [STRING_HEADER, STRING_END] = [4, 1];

/**
 * A record as the bytes that the database sent. Only what is asked for is decoded, and `wire` is a view of these bytes: a page
 * is a thousand records of which little else is looked at (docs/decisions/0033).
 */
export class RawRecord implements PageRecord, Pick<RecordDocument, 'company_id'> {
  readonly position: number;
  readonly wire: Buffer;
  /** Empty where the query left them out. */
  readonly account_ids: string[];
  readonly left_account_ids: string[];
  private readonly elements: readonly Element[];

  /** @param bytes one BSON document, as a cursor hands it out with `raw` */
  constructor(private readonly bytes: Buffer) {
    this.elements = elementsOf(bytes);
    this.position = this.number(this.need('position'));
    const [, , , offset, length] = this.need('wire');
    this.wire = bytes.subarray(offset + BINARY_HEADER, offset + length);
    this.account_ids = this.texts('account_ids');
    this.left_account_ids = this.texts('left_account_ids');
  }

  get _id(): string {
    return textOf(this.bytes, this.need('_id'));
  }

  get company_id(): string {
    return textOf(this.bytes, this.need('company_id'));
  }

  get updated_at(): Date {
    return new Date(Number(this.bytes.readBigInt64LE(this.need('updated_at')[3])));
  }

  get trace(): string | undefined {
    const element = this.find('trace');
    return element && textOf(this.bytes, element);
  }

  private texts(name: string): string[] {
    const element = this.find(name);
    if (!element) return [];
    const [, , , offset, length] = element;
    const list = this.bytes.subarray(offset, offset + length);
    return elementsOf(list).map((item) => textOf(list, item));
  }

  private number([type, , , offset]: Element): number {
    if (type === BSONType.int) return this.bytes.readInt32LE(offset);
    if (type === BSONType.double) return this.bytes.readDoubleLE(offset);
    return Number(this.bytes.readBigInt64LE(offset));
  }

  private need(name: string): Element {
    const element = this.find(name);
    if (!element) throw new Error(`a record was read without its ${name}`);
    return element;
  }

  /** No two fields that a page reads have one length and one first letter. */
  private find(name: string): Element | undefined {
    for (const element of this.elements)
      if (element[2] === name.length && this.bytes[element[1]] === name.charCodeAt(0)) return element;
    return undefined;
  }
}

const elementsOf = (bytes: Buffer) => BSON.onDemand.parseToElements(bytes) as Iterable<Element> as Element[];

const textOf = (bytes: Buffer, [, , , offset, length]: Element) =>
  bytes.toString('utf8', offset + STRING_HEADER, offset + length - STRING_END);

/**
 * Records in position order, or the newest first, in the server's own batches (at most 16 MB each), so that memory holds no more than a
 * page needs. No hints (docs/decisions/0008).
 */
export async function* readPageRecords(
  store: Store,
  type: EntityType,
  filter: Filter<RecordDocument>,
  query: ReadOptions & {
    selection: Selection;
    session: ClientSession;
    limit: number;
    batch: number;
    newestFirst?: true;
  },
): AsyncGenerator<RawRecord[]> {
  const { companies, shared } = query.selection;
  const projection = {
    position: 1,
    updated_at: 1,
    wire: 1,
    ...(store.tracing ? { trace: 1 } : {}),
    ...(companies.length > 1 ? { company_id: 1 } : {}),
    ...(shared ? { account_ids: 1, left_account_ids: 1 } : {}),
  };
  const cursor = records(store, type)
    .find<Buffer>(filter, { ...definedOptions(query), projection, raw: true })
    .sort({ position: query.newestFirst ? -1 : 1 })
    .limit(query.limit)
    .batchSize(query.batch);
  for await (const batch of readBatches(cursor)) yield batch.map((bytes) => new RawRecord(bytes));
}
