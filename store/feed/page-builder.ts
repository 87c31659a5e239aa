import type { PageRecord } from '../push/records';

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
