import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { OpenContext } from '../route';

/** A response body that is constant while the process runs. */
export interface Asset {
  type: string;
  cacheControl: string;
  etag: string;
  plain: Buffer;
  zipped: Buffer;
}

export function createAsset(type: string, content: string | Buffer, cacheControl: string): Asset {
  const plain = Buffer.from(content);
  const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
  return { type, cacheControl, etag, plain, zipped: gzipSync(plain) };
}

/** 200, or 304 when the browser has it already. */
export function answerAsset(ctx: OpenContext, { type, cacheControl, etag, plain, zipped }: Asset): void {
  ctx.set({ 'Content-Type': type, 'Cache-Control': cacheControl, ETag: etag, Vary: 'Accept-Encoding' });
  ctx.status = 200;
  if (ctx.fresh) {
    ctx.status = 304;
    return;
  }
  const zip = ctx.acceptsEncodings('gzip', 'identity') === 'gzip';
  if (zip) ctx.set('Content-Encoding', 'gzip');
  ctx.body = zip ? zipped : plain;
}
