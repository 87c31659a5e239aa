import { createHash } from 'node:crypto';
import { digestLine } from './digest';

/** A range of ids in the order of their bytes. It begins where the range before it ends. */
export interface DigestRange {
  /** The last id that can be in it; undefined for the last range. */
  upTo: string | undefined;
  /** The SHA-256 of the lines that the customer holds there. */
  hash: string;
}

interface Versioned {
  id: string;
  updated_at: Date;
  pending: boolean;
}

// About 10 MB of records.
const MOST_KEPT = 50_000;

/** Compares records, added in the order of their ids' bytes, with a customer's hashes, and keeps those of one range. */
export class DigestRanges<R extends Versioned> {
  records = 0;
  pending = 0;
  /** The numbers, from 0, of the ranges whose records were returned. */
  readonly differing: number[] = [];
  private index = 0;
  private end: Buffer | undefined;
  private hash = createHash('sha256');
  private kept: R[] = [];

  constructor(
    private readonly ranges: readonly DigestRange[],
    private readonly mostKept = MOST_KEPT,
  ) {
    this.begin();
  }

  /** @returns records to list now: those of a range that differs, or that has too many records to keep */
  add(record: R): R[] {
    const listed: R[] = [];
    const id = Buffer.from(record.id);
    while (this.end && id.compare(this.end) > 0) listed.push(...this.next());
    if (record.pending) this.pending += 1;
    else {
      this.records += 1;
      this.hash.update(digestLine(record));
    }
    this.kept.push(record);
    if (this.kept.length > this.mostKept) listed.push(...this.list());
    return listed;
  }

  /** Ends the last range. Called once, after the last `add`. */
  finish(): R[] {
    const listed: R[] = [];
    while (this.index < this.ranges.length) listed.push(...this.next());
    return listed;
  }

  private begin(): void {
    const { upTo } = this.ranges[this.index] ?? {};
    this.end = upTo === undefined ? undefined : Buffer.from(upTo);
  }

  private next(): R[] {
    const differs = this.hash.digest('hex') !== this.ranges[this.index]!.hash;
    const listed = differs || this.isListed() ? this.list() : [];
    this.kept = [];
    this.hash = createHash('sha256');
    this.index += 1;
    this.begin();
    return listed;
  }

  private list(): R[] {
    if (!this.isListed()) this.differing.push(this.index);
    const listed = this.kept;
    this.kept = [];
    return listed;
  }

  private readonly isListed = () => this.differing.at(-1) === this.index;
}
