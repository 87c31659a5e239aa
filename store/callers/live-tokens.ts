import { timeNow } from '../../domain/time/elapsed';
import { randomUUID } from 'node:crypto';
import { hashToken } from './tokens';

/**
 * The valid tokens of one integration or channel: the hash of the newest, then that of the previous one, which is
 * valid until `ends_at`. Two at most, so that a token can be rotated without a refused request (docs/contract.md A5).
 */
export interface LiveTokens {
  hashes: string[];
  ends_at: Date | undefined;
}

/** The rotation would leave three valid tokens: the operator revokes the oldest first. */
export class TwoTokensLive extends Error {
  override name = 'TwoTokensLive';

  constructor(readonly endsAt: Date) {
    super(`two tokens live already; the older one ends at ${endsAt.toISOString()}`);
  }
}

/** Whether `hash`, one of `hashes`, is still valid. */
export function isLive({ hashes, ends_at }: LiveTokens, hash: string, now = timeNow()): boolean {
  return hash === hashes[0] || (ends_at !== undefined && ends_at > now);
}

/**
 * With this new token; the previous newest one stays valid for `keepMs`, or ends now when that is 0.
 * @throws TwoTokensLive
 */
export function rotated(
  token: string,
  { hashes, ends_at }: LiveTokens,
  keepMs: number,
  now = timeNow(),
): LiveTokens {
  if (keepMs > 0 && hashes[1] && ends_at && ends_at > now) throw new TwoTokensLive(ends_at);
  const newest = hashToken(token);
  if (keepMs === 0) return { hashes: [newest], ends_at: undefined };
  return { hashes: [newest, ...hashes.slice(0, 1)], ends_at: new Date(now.getTime() + keepMs) };
}

/** `old`: only the newest stays valid. `all`: none is valid until the next rotation. */
export function revoked({ hashes }: LiveTokens, which: 'old' | 'all'): LiveTokens {
  // The hash of a token that nobody has: an empty list would violate the unique index.
  const left = which === 'old' ? hashes.slice(0, 1) : [hashToken(randomUUID())];
  return { hashes: left, ends_at: undefined };
}
