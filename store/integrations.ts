import { randomUUID } from 'node:crypto';
import type { Store } from './connect';
import { hashToken, isTokenShaped, newToken } from './tokens';

/** An ERP allowed to push, known by its token, belonging to one company. */
export interface Integration {
  _id: string;
  name: string;
  company: { id: string; name: string };
  token_hashes: string[];
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
  return integrations(store).findOne({ token_hashes: hashToken(token) });
}

export async function listIntegrations(store: Store): Promise<Integration[]> {
  return integrations(store).find().sort({ created_at: 1 }).toArray();
}
