import { createHash, randomInt } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_LENGTH = 30;
const CHECKSUM_LENGTH = 6;

/** What a token may open: an integration's pushes, a channel's own routes, or the operators' pages. */
export type TokenKind = 'erp' | 'channel' | 'operator';

/** `gdx_<kind>_<30 base62><6 checksum>`: found by secret scanners, and a typing error is seen without a look-up. */
export function newToken(kind: TokenKind): string {
  const secret = Array.from({ length: SECRET_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return `gdx_${kind}_${secret}${checksum(kind, secret)}`;
}

/** False for anything that `newToken` cannot have made. */
export function isTokenShaped(text: string, kind: TokenKind): boolean {
  const shape = new RegExp(`^gdx_${kind}_([0-9A-Za-z]{${SECRET_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`);
  const parts = shape.exec(text);
  return parts !== null && parts[2] === checksum(kind, parts[1] as string);
}

/** Tokens are stored hashed and shown once (contract 1). They are random, so a plain SHA-256 is enough. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

function checksum(kind: TokenKind, secret: string): string {
  let rest = createHash('sha256').update(`${kind}.${secret}`).digest().readBigUInt64BE();
  let text = '';
  for (let digit = 0; digit < CHECKSUM_LENGTH; digit++) {
    text += ALPHABET[Number(rest % 62n)];
    rest /= 62n;
  }
  return text;
}
