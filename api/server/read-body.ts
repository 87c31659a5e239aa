import type { Middleware } from 'koa';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { finished, Transform } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { MalformedBody } from '../../domain/records/strict-json';
import type { ByteBudget, Lease } from '../limits/byte-budget';
import { collectBody, tooLarge } from '../limits/collect-body';
import { HttpError } from '../http/http-error';
import { BYTES_OF_REQUEST } from '../http/route';
import { callerOf, type CallerState } from '../limits/rate-limit';

/** The caller went away while sending. Nobody is left to read the answer. */
export class AbortedUpload extends Error {
  override name = 'AbortedUpload';
}

// What gzip may add to a body that does not shrink.
const GZIP_OVERHEAD = 64 * 1024;

/**
 * Reads the decoded body into `ctx.state.body`: 413, then 415 (docs/contract.md A3, A8).
 * @param empty the JSON that an empty body stands for
 */
export function readBody(
  maxBytes: number,
  empty = '',
  budget: ByteBudget,
): Middleware<CallerState & { body?: Buffer }> {
  return async (ctx, next) => {
    const encoding = encodingOf(ctx.get('Content-Encoding'));
    const declared = ctx.request.length ?? 0;
    if (declared > maxBytes + (encoding === 'gzip' ? GZIP_OVERHEAD : 0)) throw tooLarge(maxBytes);
    const isRead = !empty || carriesBody(ctx.req);
    if (isRead) refuseOtherThanJson(ctx.get('Content-Type'), encoding);
    const lease = budget.lease(callerOf(ctx.state));
    try {
      if (ctx.req.httpVersion !== '1.0' && /^100-continue$/i.test(ctx.get('Expect')))
        (ctx.res as ServerResponse).writeContinue();
      const charge = chargeFor(ctx);
      const body = await receive(ctx.req, isRead && encoding === 'gzip', { maxBytes, lease, charge });
      ctx.state.body = body.length > 0 ? body : Buffer.from(empty);
      ctx.state.logged['bytes'] = body.length;
      await next();
    } finally {
      // A handler that took too long is still at work with these bytes.
      void Promise.resolve(ctx.state.ended).then(() => lease.release());
    }
  };
}

/** RFC 9110, 8.4: a list, in which `identity` says nothing, and `x-gzip` is another name of gzip. */
function encodingOf(header: string): string {
  if (header === '') return 'identity';
  const listed = header
    .toLowerCase()
    .split(',')
    .map((one) => one.trim().replace(/^x-gzip$/, 'gzip'));
  return listed.filter((one) => one && one !== 'identity').join(', ') || 'identity';
}

function carriesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

// Koa finds no charset if anything malformed or another charset follows it.
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/gi;

function refuseOtherThanJson(contentType: string, encoding: string): void {
  if (contentType === 'application/json' && (encoding === 'identity' || encoding === 'gzip')) return;
  const isJson = /^\s*application\/json\s*(;|$)/i.test(contentType);
  const isUtf8 = [...contentType.matchAll(CHARSET)].every(([, charset]) => /^utf-?8$/i.test(charset!));
  if (isJson && isUtf8 && ['identity', 'gzip'].includes(encoding)) return;
  throw new HttpError(
    'UNSUPPORTED_MEDIA_TYPE',
    'Send application/json in UTF-8, uncompressed or with Content-Encoding: gzip.',
  );
}

/**
 * Charges the caller for a body while it comes: for its bytes, or for half of those on the way where these are more. The frames of
 * chunks, and packed bytes that unpack to nothing, take time as well.
 */
function chargeFor({ req, state }: { req: IncomingMessage; state: CallerState }) {
  const before = req.socket.bytesRead;
  return (bytes: number) =>
    state.charge?.(Math.max(bytes, (req.socket.bytesRead - before) / 2) / BYTES_OF_REQUEST);
}

interface Allowed {
  maxBytes: number;
  lease: Lease;
  charge: (bytes: number) => Promise<void> | undefined;
}

async function receive(req: IncomingMessage, zipped: boolean, allowed: Allowed): Promise<Buffer> {
  const packed = zipped ? chargePacked(allowed) : undefined;
  const source = packed ? req.pipe(packed).pipe(createGunzip()) : req;
  // A pipe does not forward errors, and the caller may have disconnected while its token was looked up.
  packed?.on('error', (error) => source.destroy(error));
  const forget = packed && finished(req, (error) => error && source.destroy(error));
  try {
    return await collectBody(source, allowed);
  } catch (error) {
    if (req.destroyed && !req.complete) throw new AbortedUpload('the upload was aborted');
    throw isZlibError(error) ? new MalformedBody('the body is not valid gzip') : error;
  } finally {
    forget?.();
    packed?.destroy();
    if (packed) source.destroy();
    // The rest is read and thrown away: a caller that is still sending would not see the answer otherwise.
    req.unpipe();
    req.resume();
  }
}

/** Passes packed bytes on once they are charged, whatever they unpack to. */
function chargePacked({ maxBytes, charge }: Allowed): Transform {
  let packed = 0;
  return new Transform({
    transform(piece: Buffer, _encoding, pass) {
      packed += piece.length;
      if (packed > maxBytes + GZIP_OVERHEAD) return pass(tooLarge(maxBytes));
      const charged = charge(0);
      if (charged) charged.then(() => pass(null, piece), pass);
      else pass(null, piece);
    },
  });
}

function isZlibError(error: unknown): boolean {
  return /^Z_/.test((error as NodeJS.ErrnoException | undefined)?.code ?? '');
}
