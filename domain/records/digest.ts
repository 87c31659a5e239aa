import { createHash, type Hash } from 'node:crypto';
import { formatInstant } from '../time/instants';

/** One bucket of a digest, as docs/customer.md#do-both-sides-agree defines it. */
interface DigestBucket {
  bucket: string;
  records: number;
  /** The number of further records, which cannot be compared now. */
  pending: number;
  hash: string;
}

const BUCKETS = 256;

/** The first byte of the SHA-256 of a record's id. */
const byteOf = (id: string): number => createHash('sha256').update(id).digest()[0]!;
const nameOf = (byte: number): string => byte.toString(16).padStart(2, '0');

/** `3f`: the bucket of a record's id. */
export const bucketOf = (id: string): string => nameOf(byteOf(id));

/** Reads the bucket names of `3f,a0`, without duplicates; undefined when the text holds anything else. */
export function readBuckets(text: string): Set<string> | undefined {
  return /^[0-9a-f]{2}(,[0-9a-f]{2}){0,255}$/.test(text) ? new Set(text.split(',')) : undefined;
}

/** The line of a record that is hashed. */
export const digestLine = ({ id, updated_at }: { id: string; updated_at: Date }): string =>
  `${id} ${formatInstant(updated_at)}\n`;

/** Counts and hashes records by bucket, in the order of their ids' bytes, without keeping them. */
export class DigestBuckets {
  private readonly hashes: Hash[] = Array.from({ length: BUCKETS }, () => createHash('sha256'));
  private readonly counts = Array.from({ length: BUCKETS }, () => ({ records: 0, pending: 0 }));

  add(record: { id: string; updated_at: Date; pending: boolean }): void {
    const byte = byteOf(record.id);
    if (record.pending) {
      this.counts[byte]!.pending += 1;
      return;
    }
    this.counts[byte]!.records += 1;
    this.hashes[byte]!.update(digestLine(record));
  }

  /** The digest of each bucket. Called once, after the last `add`. */
  finish(): DigestBucket[] {
    return this.hashes.map((hash, byte) => ({
      bucket: nameOf(byte),
      ...this.counts[byte]!,
      hash: hash.digest('hex'),
    }));
  }
}
