import { finished, type Readable } from 'node:stream';
import { HttpError } from '../http/http-error';
import type { Lease } from './byte-budget';

// So many pieces are made one, as each takes some hundred bytes beside its own.
const PIECES = 1_024;

/**
 * Reads a body. Its bytes count as they arrive, whatever length was declared.
 * @param charge called with the bytes that have come @throws HttpError PAYLOAD_TOO_LARGE, or an error of the lease or of `charge`
 */
export function collectBody(
  source: Readable,
  {
    maxBytes,
    lease,
    charge,
  }: { maxBytes: number; lease: Lease; charge?: (bytes: number) => Promise<void> | undefined },
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let [length, whole] = [0, 0];
  const take = (piece: Buffer): Promise<void> | undefined => {
    length += piece.length;
    if (length > maxBytes) throw tooLarge(maxBytes);
    lease.growTo(length);
    pieces.push(piece);
    if (pieces.length === whole + PIECES) pieces.push(Buffer.concat(pieces.splice(whole++)));
    return charge?.(length);
  };
  return new Promise((resolve, reject) => {
    // The source is not destroyed after an error: that would close the socket before it has carried the answer.
    const end = (error?: unknown) => {
      forget();
      source.off('data', read);
      if (error === undefined || error === null)
        resolve(pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces, length));
      else reject(error as Error);
    };
    const read = (piece: Buffer) => {
      try {
        const charged = take(piece);
        if (!charged) return;
        source.pause();
        charged.then(() => source.resume(), end);
      } catch (error) {
        end(error);
      }
    };
    const forget = finished(source, { writable: false }, end);
    source.on('data', read);
  });
}

export function tooLarge(maxBytes: number): HttpError {
  return new HttpError('PAYLOAD_TOO_LARGE', `The body may have at most ${maxBytes} bytes, unpacked.`);
}
