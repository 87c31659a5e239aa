import type { Readable } from 'node:stream';
import { HttpError } from '../http/http-error';
import type { Lease } from './byte-budget';

/** The bytes of a body, charged as they arrive, whatever was declared. @throws HttpError PAYLOAD_TOO_LARGE, or what the lease throws */
export async function collectBody(
  source: Readable,
  { maxBytes, lease }: { maxBytes: number; lease: Lease },
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  // Not destroyed on the way out: that would tear down the socket before it has carried the answer.
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
