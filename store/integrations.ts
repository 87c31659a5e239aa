import { randomUUID } from 'node:crypto';
import type { Store } from './connect';
import { isLive, revoked, rotated, type LiveTokens } from './live-tokens';
import { hashToken, isTokenShaped, newToken } from './tokens';

/** An ERP allowed to push, known by its token, belonging to one company. */
export interface Integration {
  _id: string;
  name: string;
  company: { id: string; name: string };
  /** Newest first. */
  token_hashes: string[];
  old_token_ends_at?: Date | null;
  created_at: Date;
}

const integrations = (store: Store) => store.db.collection<Integration>('integrations');

export const integrationIndexes = [{ name: 'token', key: { token_hashes: 1 }, unique: true }];

/** @returns the integration and its token, which is shown this once. */
export async function addIntegration(
  store: Store,
  settings: Pick<Integration, 'name' | 'company'>,
): Promise<{ integration: Integration; token: string }> {
  const token = newToken('erp');
  const integration: Integration = {
    _id: randomUUID(),
    name: settings.name,
    company: settings.company,
    token_hashes: [hashToken(token)],
    created_at: new Date(),
  };
  await integrations(store).insertOne(integration);
  return { integration, token };
}

/** Found by the hash, so nothing secret is compared byte by byte. */
export async function findIntegrationByToken(store: Store, token: string): Promise<Integration | null> {
  if (!isTokenShaped(token, 'erp')) return null;
  const hash = hashToken(token);
  const integration = await integrations(store).findOne({ token_hashes: hash });
  return integration && isLive(liveTokens(integration), hash) ? integration : null;
}

/**
 * A new token beside the newest of before, which lives on for `keepMs`.
 * @returns null when there is no such integration
 * @throws TwoTokensLive
 */
export async function rotateToken(
  store: Store,
  id: string,
  keepMs: number,
): Promise<{ token: string; old_token_ends_at: Date | null } | null> {
  const integration = await integrations(store).findOne({ _id: id });
  if (!integration) return null;
  const { token, live } = rotated('erp', liveTokens(integration), keepMs);
  // Another rotation came between: this one begins anew.
  if (!(await setTokens(store, integration, live))) return rotateToken(store, id, keepMs);
  return { token, old_token_ends_at: live.ends_at ?? null };
}

/** Ends the `old` token, or `all`. @returns false when there is no such integration */
export async function revokeToken(store: Store, id: string, which: 'old' | 'all'): Promise<boolean> {
  const integration = await integrations(store).findOne({ _id: id });
  if (!integration) return false;
  const live = revoked('erp', liveTokens(integration), which);
  return (await setTokens(store, integration, live)) || revokeToken(store, id, which);
}

const liveTokens = ({ token_hashes, old_token_ends_at }: Integration): LiveTokens => ({
  hashes: token_hashes,
  ends_at: old_token_ends_at ?? undefined,
});

async function setTokens(store: Store, before: Integration, live: LiveTokens): Promise<boolean> {
  const { matchedCount } = await integrations(store).updateOne(
    { _id: before._id, token_hashes: before.token_hashes },
    { $set: { token_hashes: live.hashes, old_token_ends_at: live.ends_at ?? null } },
  );
  return matchedCount === 1;
}

export async function listIntegrations(store: Store): Promise<Integration[]> {
  return integrations(store).find().sort({ created_at: 1 }).toArray();
}
