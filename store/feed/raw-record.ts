import { BSON, BSONType } from 'mongodb';
import type { PageRecord, RecordDocument } from '../push/records';

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

  private find(name: string): Element | undefined {
    return this.elements.find(
      ([, offset, length]) =>
        length === name.length && this.bytes.toString('latin1', offset, offset + length) === name,
    );
  }
}

const elementsOf = (bytes: Buffer) => BSON.onDemand.parseToElements(bytes) as Iterable<Element> as Element[];

const textOf = (bytes: Buffer, [, , , offset, length]: Element) =>
  bytes.toString('utf8', offset + STRING_HEADER, offset + length - STRING_END);
