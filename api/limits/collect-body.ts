import type { Readable } from 'node:stream';
import { HttpError } from '../http/http-error';
import type { Lease } from './byte-budget';

// So many pieces are made one, as each takes some hundred bytes beside its own.
const PIECES = 1_024;

/**
 * Reads a body. Its bytes count as they arrive, whatever length was declared.
 * @param charge called with the bytes that have come @throws HttpError PAYLOAD_TOO_LARGE, or an error of the lease or of `charge`
 */
export async function collectBody(
  source: Readable,
  {
    maxBytes,
    lease,
    charge,
  }: { maxBytes: number; lease: Lease; charge?: (bytes: number) => Promise<void> | undefined },
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let [length, whole] = [0, 0];
  // The source is not destroyed after an error: that would close the socket before it has carried the answer.
  for await (const piece of source.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length > maxBytes) throw tooLarge(maxBytes);
    lease.growTo(length);
    await charge?.(length);
    pieces.push(piece);
    if (pieces.length === whole + PIECES) pieces.push(Buffer.concat(pieces.splice(whole++)));
  }
  return Buffer.concat(pieces, length);
}

export function tooLarge(maxBytes: number): HttpError {
  return new HttpError('PAYLOAD_TOO_LARGE', `The body may have at most ${maxBytes} bytes, unpacked.`);
}
