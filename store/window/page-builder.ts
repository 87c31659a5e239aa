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
const NO_TEXTS: string[] = [];

/**
 * A record as the bytes that the database sent. Only what is asked for is decoded, and `wire` is a view of these bytes: a page
 * is a thousand records of which little else is looked at (docs/decisions/0033). It holds numbers in place of what was decoded, as
 * what lives until the customer has answered is what V8 has to copy and to mark.
 */
export class RawRecord implements PageRecord, Pick<RecordDocument, 'company_id'> {
  readonly position: number;
  /** Empty where the query left them out. */
  readonly account_ids: string[];
  readonly left_account_ids: string[];
  private readonly wireBegin: number;
  private readonly wireEnd: number;
  private readonly changedAt: number;

  /** @param bytes one BSON document, as a cursor hands it out with `raw` */
  constructor(private readonly bytes: Buffer) {
    const elements = elementsOf(bytes);
    this.position = this.number(need(bytes, elements, 'position'));
    const [, , , offset, length] = need(bytes, elements, 'wire');
    this.wireBegin = offset + BINARY_HEADER;
    this.wireEnd = offset + length;
    [, , , this.changedAt] = need(bytes, elements, 'updated_at');
    this.account_ids = textsOf(bytes, find(bytes, elements, 'account_ids'));
    this.left_account_ids = textsOf(bytes, find(bytes, elements, 'left_account_ids'));
  }

  get wire(): Buffer {
    return this.bytes.subarray(this.wireBegin, this.wireEnd);
  }

  get _id(): string {
    return textOf(this.bytes, need(this.bytes, elementsOf(this.bytes), '_id'));
  }

  get company_id(): string {
    return textOf(this.bytes, need(this.bytes, elementsOf(this.bytes), 'company_id'));
  }

  get updated_at(): Date {
    return new Date(Number(this.bytes.readBigInt64LE(this.changedAt)));
  }

  get trace(): string | undefined {
    const element = find(this.bytes, elementsOf(this.bytes), 'trace');
    return element && textOf(this.bytes, element);
  }

  private number([type, , , offset]: Element): number {
    if (type === BSONType.int) return this.bytes.readInt32LE(offset);
    if (type === BSONType.double) return this.bytes.readDoubleLE(offset);
    return Number(this.bytes.readBigInt64LE(offset));
  }
}

function need(bytes: Buffer, elements: readonly Element[], name: string): Element {
  const element = find(bytes, elements, name);
  if (!element) throw new Error(`a record was read without its ${name}`);
  return element;
}

/** No two fields that a page reads have one length and one first letter. */
function find(bytes: Buffer, elements: readonly Element[], name: string): Element | undefined {
  for (const element of elements)
    if (element[2] === name.length && bytes[element[1]] === name.charCodeAt(0)) return element;
  return undefined;
}

const elementsOf = (bytes: Buffer) => BSON.onDemand.parseToElements(bytes) as Iterable<Element> as Element[];

function textsOf(bytes: Buffer, element: Element | undefined): string[] {
  if (!element) return NO_TEXTS;
  const [, , , offset, length] = element;
  const list = bytes.subarray(offset, offset + length);
  return elementsOf(list).map((item) => textOf(list, item));
}

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
