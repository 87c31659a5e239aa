import type { Readable } from 'node:stream';
import { HttpError } from '../http/http-error';
import type { Lease } from './byte-budget';

/**
 * Reads a body. Its bytes count as they arrive, whatever length was declared.
 * @throws HttpError PAYLOAD_TOO_LARGE, or an error of the lease
 */
export async function collectBody(
  source: Readable,
  { maxBytes, lease }: { maxBytes: number; lease: Lease },
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  // The source is not destroyed after an error: that would close the socket before it has carried the answer.
  for await (const chunk of source.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) throw tooLarge(maxBytes);
    lease.growTo(length);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

export function tooLarge(maxBytes: number): HttpError {
  return new HttpError('PAYLOAD_TOO_LARGE', `The body may have at most ${maxBytes} bytes, unpacked.`);
}
