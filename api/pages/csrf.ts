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
