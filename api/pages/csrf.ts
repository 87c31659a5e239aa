import type { ParameterizedContext } from 'koa';
import { randomBytes, timingSafeEqual } from 'node:crypto';

const LENGTH = 32;

/** The session's token, masked differently on every page, so that compression reveals nothing (BREACH). */
export function maskToken(token: string): string {
  const pad = randomBytes(LENGTH);
  return Buffer.concat([pad, xor(pad, Buffer.from(token, 'base64url'))]).toString('base64url');
}

export function isToken(token: string, masked: string | null): boolean {
  const bytes = Buffer.from(masked ?? '', 'base64url');
  if (bytes.length !== 2 * LENGTH) return false;
  const unmasked = xor(bytes.subarray(0, LENGTH), bytes.subarray(LENGTH));
  return timingSafeEqual(unmasked, Buffer.from(token, 'base64url'));
}

const xor = (a: Buffer, b: Buffer) => Buffer.from(a.map((byte, index) => byte ^ b[index]!));

/**
 * Whether a form comes from another site. Our `no-referrer` makes browsers send `Origin: null`, which counts
 * as ours unless `Sec-Fetch-Site` says otherwise.
 */
export function isForeign(ctx: ParameterizedContext, publicUrl: string): boolean {
  if (ctx.get('Sec-Fetch-Site') === 'cross-site') return true;
  const origin = ctx.get('Origin');
  if (origin === '' || origin === 'null') return false;
  if (!URL.canParse(origin)) return true;
  return ![ctx.get('Host'), new URL(publicUrl).host].includes(new URL(origin).host);
}
