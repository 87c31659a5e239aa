import { timeNow } from '../../domain/time/elapsed';
import { randomUUID } from 'node:crypto';
import type { Access } from '../../domain/settings/access';
import type { Store } from '../store';
import { endings } from './endings';
import { TokenHolders } from './token-holders';
import { hashToken, newToken } from './tokens';

/** An ERP that may push for one company, identified by its token. */
export interface Integration {
  _id: string;
  name: string;
  company: { id: string; name: string };
  /** Where the company is, `America/Chicago`: for the days and times that its farmers read. */
  time_zone?: string;
  /** Who makes or runs it, where one vendor serves many companies. */
  vendor?: string;
  /** Newest first. */
  token_hashes: string[];
  old_token_ends_at?: Date | null;
  access?: Access;
  created_at: Date;
  /** It was closed for good: its token is gone, and the company's name stands in its ending alone. */
  closed?: { reason: string; at: Date; erase_at: Date };
}

export const integrations = (store: Store) => store.db.collection<Integration>('integrations');

/** Closed ones are passed over here, and in each list and each change. */
const NOT_CLOSED = { closed: { $exists: false } } as const;

export const integrationTokens = new TokenHolders(
  'erp',
  integrations,
  { hashes: 'token_hashes', ends_at: 'old_token_ends_at' },
  NOT_CLOSED,
);

export const integrationIndexes = [{ name: 'token', key: { token_hashes: 1 }, unique: true }];

/**
 * @param keep is given the token before it opens anything
 * @returns the integration and its token, which is shown this once.
 */
export async function addIntegration(
  store: Store,
  settings: Pick<Integration, 'name' | 'company' | 'time_zone' | 'vendor'>,
  keep?: (integration: Integration, token: string) => Promise<void>,
): Promise<{ integration: Integration; token: string }> {
  const token = newToken('erp', store);
  const integration: Integration = {
    _id: randomUUID(),
    name: settings.name,
    company: settings.company,
    ...(settings.time_zone !== undefined && { time_zone: settings.time_zone }),
    ...(settings.vendor !== undefined && { vendor: settings.vendor }),
    token_hashes: [hashToken(token)],
    created_at: timeNow(),
  };
  await keep?.(integration, token);
  await integrations(store).insertOne(integration);
  return { integration, token };
}

/** Oldest first, so that the newest one of a company wins where they are put into a map. */
const ofCompanies = (store: Store, ids: readonly string[]) =>
  integrations(store)
    .find(
      { 'company.id': { $in: [...new Set(ids)] } },
      { projection: { company: 1, time_zone: 1, closed: 1 } },
    )
    .sort({ created_at: 1 })
    .toArray();

/** The names of companies by id, from the newest integration of each, or from its ending. */
export async function companyNames(store: Store, ids: readonly string[]): Promise<Map<string, string>> {
  const found = (await ofCompanies(store, ids)).filter(({ closed }) => !closed);
  const ending = endings(store).find({ _id: { $in: [...new Set(ids)] } });
  return new Map([...(await ending.toArray()), ...found].map(({ company: { id, name } }) => [id, name]));
}

/** The time zones of companies by id, from the newest integration of each that names one. */
export async function companyZones(store: Store, ids: readonly string[]): Promise<Map<string, string>> {
  const found = await ofCompanies(store, ids);
  return new Map(found.flatMap(({ company, time_zone }) => (time_zone ? [[company.id, time_zone]] : [])));
}

/** @returns null when there is no such integration */
export async function setTimeZone(store: Store, id: string, time_zone: string): Promise<Integration | null> {
  const set = { $set: { time_zone } };
  return integrations(store).findOneAndUpdate({ _id: id, ...NOT_CLOSED }, set, { returnDocument: 'after' });
}

export async function listIntegrations(store: Store): Promise<Integration[]> {
  return integrations(store).find(NOT_CLOSED).sort({ created_at: 1 }).toArray();
}

/** For what is still to be done of a closed one, and for whoever asks what has become of it. */
export async function listEvenClosedIntegrations(store: Store): Promise<Integration[]> {
  return integrations(store).find().sort({ created_at: 1 }).toArray();
}

/** Whether an ERP that is not closed pushes this company. */
export async function isPushed(store: Store, company: string): Promise<boolean> {
  return (await integrations(store).findOne({ 'company.id': company, ...NOT_CLOSED })) !== null;
}
