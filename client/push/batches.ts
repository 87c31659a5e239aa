import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Mapping } from './mapping-schema';
import { commandOf } from './plan';
import type { FileRecord } from './read-records';
import { recordText, requestBody } from './request-body';

// Node hears a signal only between two turns of its loop, and a long run of records in memory gives it none.
const TURN_MS = 50;

/** Half of the largest request. Only a single record can make a batch larger. */
const MOST_BYTES = 8 * 1024 * 1024;

/** The records of one request. The same file, mapping and size always make the same batches, byte by byte. */
export interface Batch {
  /** From 0. */
  number: number;
  body: Buffer;
  /** The line of the file in which each record begins. */
  lines: number[];
}

export async function* requestBatches(
  records: AsyncIterable<Pick<FileRecord, 'line' | 'record' | 'text'>>,
  { type }: Pick<Mapping, 'type'>,
  size: number,
): AsyncGenerator<Batch> {
  const command = commandOf(type);
  let number = 0;
  let texts: string[] = [];
  let lines: number[] = [];
  let bytes = 0;
  let turned = performance.now();
  const take = (): Batch => {
    const batch = { number: number++, body: requestBody(command, texts), lines };
    [texts, lines, bytes] = [[], [], 0];
    return batch;
  };
  for await (const { line, record, text = recordText(record) } of records) {
    if (performance.now() - turned > TURN_MS) {
      await nextTurn();
      turned = performance.now();
    }
    const length = Buffer.byteLength(text);
    if (texts.length === size || (texts.length > 0 && bytes + length > MOST_BYTES)) yield take();
    texts.push(text);
    lines.push(line);
    bytes += length;
  }
  if (texts.length > 0) yield take();
}
