import { createHash, randomBytes, randomInt } from 'node:crypto';
import { rawPublicKey } from '../../domain/settings/raw-keys';
import type { Store } from '../store';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_LENGTH = 30;
const CHECKSUM_LENGTH = 6;

const shapeOf = (kind: string) =>
  new RegExp(`^(gdx_${kind}_(live|test)_)([0-9A-Za-z]{${SECRET_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`);
const SHAPES = { erp: shapeOf('erp'), channel: shapeOf('channel'), operator: shapeOf('operator') };

/** What a token may open: an integration's pushes, a channel's own routes, or the operators' pages. */
export type TokenKind = keyof typeof SHAPES;

/** Where a token opens something: `live` in production, `test` everywhere else (docs/contract.md A14). */
const tokenMode = ({ production }: Pick<Store, 'production'>) => (production ? 'live' : 'test');

/**
 * `gdx_<kind>_<live or test>_<30 base62><6 checksum>`: found by secret scanners, and a typing error is seen without a
 * look-up.
 */
export function newToken(kind: TokenKind, of: Pick<Store, 'production'>): string {
  const secret = Array.from({ length: SECRET_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  const prefix = `gdx_${kind}_${tokenMode(of)}_`;
  return `${prefix}${secret}${checksum(prefix, secret)}`;
}

/** Standard Webhooks 1.0.0: `whsec_` and 24 to 64 random bytes. */
export const newSigningSecret = () => `whsec_${randomBytes(32).toString('base64')}`;

/** Standard Webhooks 1.0.0, ed25519: `whsk_` signs and stays here, `whpk_` verifies. */
export function newSigningPair(): { privateKey: string; publicKey: string } {
  const seed = randomBytes(32);
  const publicKey = `whpk_${rawPublicKey('Ed25519', seed).toString('base64')}`;
  return { privateKey: `whsk_${seed.toString('base64')}`, publicKey };
}

/** Why `newToken` cannot have made `text` in this environment; undefined where it can. */
export function flawOfToken(
  text: string,
  kind: TokenKind,
  here: Pick<Store, 'production'>,
): string | undefined {
  const [, prefix, mode, secret, sum] = SHAPES[kind].exec(text) ?? [];
  if (prefix === undefined || sum !== checksum(prefix, secret!)) return 'no token of this kind';
  return mode === tokenMode(here) ? undefined : `a ${mode} token`;
}

/** Tokens are stored hashed and shown once (docs/contract.md A5). They are random, so a plain SHA-256 is enough. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

function checksum(prefix: string, secret: string): string {
  let rest = createHash('sha256').update(`${prefix}.${secret}`).digest().readBigUInt64BE();
  let text = '';
  for (let digit = 0; digit < CHECKSUM_LENGTH; digit++) {
    text += ALPHABET[Number(rest % 62n)];
    rest /= 62n;
  }
  return text;
}
