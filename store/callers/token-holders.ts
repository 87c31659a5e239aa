import { timeNow } from '../../domain/time/elapsed';
import { randomUUID } from 'node:crypto';
import type { Collection, Document, Filter, UpdateFilter, WithId } from 'mongodb';
import type { Store } from '../store';
import { flawOfToken, hashToken, newToken, type TokenKind } from './tokens';

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

interface Holder {
  _id: string;
}

/** Those who have tokens of one kind, integrations or channels: how a token finds its holder, and is rotated and revoked. */
export class TokenHolders<T extends Holder & Document> {
  /**
   * @param fields where a holder keeps its hashes, and until when the older one is valid
   * @param may which of them may get a token
   */
  constructor(
    private readonly kind: TokenKind,
    private readonly collection: (store: Store) => Collection<T>,
    private readonly fields: { hashes: keyof T & string; ends_at: keyof T & string },
    private readonly may: object,
  ) {}

  /** Looked up by hash, so no secret is compared byte by byte. */
  async find(store: Store, token: string): Promise<T | null> {
    return flawOfToken(token, this.kind, store) ? null : this.findByHash(store, hashToken(token));
  }

  /** Whom a token with this hash opens now. */
  async findByHash(store: Store, hash: string): Promise<T | null> {
    const found = await this.collection(store).findOne({ [this.fields.hashes]: hash } as Filter<T>);
    return found && isLive(this.liveOf(found), hash) ? (found as T) : null;
  }

  /**
   * Adds a new token; the previous newest one stays valid for `keepMs`.
   * @param keep is given the token before it opens anything
   * @returns null when there is no such holder
   * @throws TwoTokensLive
   */
  async rotate(
    store: Store,
    id: string,
    keepMs: number,
    keep?: (holder: T, token: string) => Promise<void>,
  ): Promise<{ token: string; old_ends_at: Date | null } | null> {
    const token = newToken(this.kind, store);
    const live = await this.change(store, id, async (holder) => {
      const next = rotated(token, this.liveOf(holder), keepMs);
      await keep?.(holder as T, token);
      return next;
    });
    return live && { token, old_ends_at: live.ends_at ?? null };
  }

  /** Ends the `old` token, or `all`. @returns false when there is no such holder */
  async revoke(store: Store, id: string, which: 'old' | 'all'): Promise<boolean> {
    return (await this.change(store, id, (holder) => revoked(this.liveOf(holder), which))) !== null;
  }

  private liveOf(holder: WithId<T>): LiveTokens {
    const { hashes, ends_at } = this.fields;
    return { hashes: holder[hashes] as string[], ends_at: (holder[ends_at] as Date | null) ?? undefined };
  }

  /** Starts over where a concurrent change has won. */
  private async change(
    store: Store,
    id: string,
    next: (holder: WithId<T>) => LiveTokens | Promise<LiveTokens>,
  ): Promise<LiveTokens | null> {
    const [all, { hashes, ends_at }] = [this.collection(store), this.fields];
    for (;;) {
      const holder = await all.findOne({ _id: id, ...this.may } as Filter<T>);
      if (!holder) return null;
      const live = await next(holder);
      const set = { $set: { [hashes]: live.hashes, [ends_at]: live.ends_at ?? null } } as UpdateFilter<T>;
      const asRead = { _id: id, [hashes]: holder[hashes] } as Filter<T>;
      if ((await all.updateOne(asRead, set)).matchedCount === 1) return live;
    }
  }
}
