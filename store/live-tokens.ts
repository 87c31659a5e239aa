import { hashToken, newToken, type TokenKind } from './tokens';

/**
 * The tokens that open one integration or channel: the hash of the newest first, then that of the one before, which
 * lives on until `ends_at`. Two at most, so that a token can be exchanged without a push refused (proof, security).
 */
export interface LiveTokens {
  hashes: string[];
  ends_at: Date | undefined;
}

/** The exchange would leave three tokens alive: the operator ends the oldest first. */
export class TwoTokensLive extends Error {
  override name = 'TwoTokensLive';

  constructor(readonly endsAt: Date) {
    super(`two tokens live already; the older one ends at ${endsAt.toISOString()}`);
  }
}

/** Found by its hash among `hashes`, `hash` opens still. */
export function isLive({ hashes, ends_at }: LiveTokens, hash: string, now = new Date()): boolean {
  return hash === hashes[0] || (ends_at !== undefined && ends_at > now);
}

/**
 * A new token; the newest of before lives on for `keepMs`, or ends now when that is 0.
 * @throws TwoTokensLive
 */
export function rotated(
  kind: TokenKind,
  { hashes, ends_at }: LiveTokens,
  keepMs: number,
  now = new Date(),
): { token: string; live: LiveTokens } {
  if (keepMs > 0 && hashes[1] && ends_at && ends_at > now) throw new TwoTokensLive(ends_at);
  const token = newToken(kind);
  const newest = hashToken(token);
  if (keepMs === 0) return { token, live: { hashes: [newest], ends_at: undefined } };
  const kept = { hashes: [newest, ...hashes.slice(0, 1)], ends_at: new Date(now.getTime() + keepMs) };
  return { token, live: kept };
}

/** `old`: only the newest opens. `all`: none does, until the next rotation. */
export function revoked(kind: TokenKind, { hashes }: LiveTokens, which: 'old' | 'all'): LiveTokens {
  // Nobody has ever seen the token of this hash; an empty list would not be unique among all.
  const left = which === 'old' ? hashes.slice(0, 1) : [hashToken(newToken(kind))];
  return { hashes: left, ends_at: undefined };
}
