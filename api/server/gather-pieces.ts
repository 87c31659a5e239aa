import type { IncomingMessage } from 'node:http';

// Less than this of a body waits for what comes in the same turn of the event loop.
const PIECE_BYTES = 4 * 1024;

/**
 * Gathers the small pieces in which a body comes. Each takes some hundred bytes beside its own, wherever it is held: sent byte by
 * byte, in chunks, a body of 16 MiB would take gigabytes.
 */
export function gatherPieces(req: IncomingMessage): void {
  const push = req.push.bind(req);
  const whole = Number(req.headers['content-length']);
  let room: Buffer | undefined;
  let length = 0;
  let wantsMore = true;

  function passOn(): void {
    if (length === 0) return;
    const piece = Buffer.from(room!.subarray(0, length));
    length = 0;
    wantsMore = push(piece);
  }

  req.push = (piece: Buffer | null) => {
    const isRoom = piece !== null && length + piece.length <= PIECE_BYTES;
    if (!isRoom) passOn();
    if (piece === null || piece.length > PIECE_BYTES || piece.length === whole)
      return (wantsMore = push(piece));
    if (length === 0) setImmediate(passOn);
    room ??= Buffer.allocUnsafeSlow(PIECE_BYTES);
    length += piece.copy(room, length);
    return wantsMore;
  };
}
