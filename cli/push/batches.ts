import { commandOf, type Mapping } from './mapping';
import type { FileRecord } from './read-records';

/** A request takes 16 MiB; this leaves room for the last record. */
const MOST_BYTES = 8 * 1024 * 1024;

/** The records of one request. The same file, mapping and size make the same batches, byte by byte. */
export interface Batch {
  /** From 0. */
  number: number;
  body: Buffer;
  /** Where each record begins in the file. */
  lines: number[];
}

export async function* requestBatches(
  records: AsyncIterable<FileRecord>,
  { type }: Mapping,
  size: number,
): AsyncGenerator<Batch> {
  const { name } = commandOf(type);
  let number = 0;
  let texts: string[] = [];
  let lines: number[] = [];
  let bytes = 0;
  const take = (): Batch => {
    const body = Buffer.from(`{"data":[{"${name}":{"${type}":[${texts.join(',')}]}}]}`);
    const batch = { number: number++, body, lines };
    [texts, lines, bytes] = [[], [], 0];
    return batch;
  };
  for await (const { line, record } of records) {
    const text = JSON.stringify(record);
    texts.push(text);
    lines.push(line);
    bytes += Buffer.byteLength(text);
    if (texts.length === size || bytes >= MOST_BYTES) yield take();
  }
  if (texts.length > 0) yield take();
}
