import { MongoError, type IndexDescription } from 'mongodb';
import { ENTITY_TYPES } from '../domain/entity-types';
import { alertIndexes } from './alerts';
import { attemptCountIndexes } from './attempt-counts';
import { channelIndexes } from './channels';
import type { Store } from './connect';
import { consentIndexes } from './consents';
import { deliveryIndexes } from './deliveries';
import { farmerSessionIndexes } from './farmer-sessions';
import { integrationIndexes } from './integrations';
import { markerIndexes } from './markers';
import { operatorActionIndexes } from './operator-actions';
import { operatorSessionIndexes } from './operator-sessions';
import { operatorIndexes } from './operators';
import { pushReceiptIndexes } from './push-receipts';
import { recordIndexes } from './records';
import { setAsideIndexes } from './set-aside';
import { signInCodeIndexes } from './sign-in-codes';
import { subscriptionIndexes } from './subscriptions';

const NAMESPACE_EXISTS = 48;

/** Every collection with its indexes (design 5). A new one is a line here; `gdx migrate` makes it. */
const COLLECTIONS = {
  ...Object.fromEntries(ENTITY_TYPES.map((type) => [type, recordIndexes(type)])),
  counters: [],
  elevators: [],
  integrations: integrationIndexes,
  channels: channelIndexes,
  push_receipts: pushReceiptIndexes,
  markers: markerIndexes,
  deliveries: deliveryIndexes,
  alerts: alertIndexes,
  set_aside: setAsideIndexes,
  subscriptions: subscriptionIndexes,
  consents: consentIndexes,
  sessions: farmerSessionIndexes,
  sign_in_codes: signInCodeIndexes,
  attempt_counts: attemptCountIndexes,
  operators: operatorIndexes,
  operator_sessions: operatorSessionIndexes,
  operator_actions: operatorActionIndexes,
  keys: [],
} as Record<string, (IndexDescription & { name: string })[]>;

/** Makes what is missing; a transaction must not have to create a collection. Calling it again changes nothing. */
export async function ensureCollections(store: Store): Promise<void> {
  for (const [collection, wanted] of Object.entries(COLLECTIONS)) {
    await store.db.createCollection(collection).catch(unlessItExists);
    if (wanted.length > 0) await store.db.collection(collection).createIndexes(wanted);
  }
}

/** What `ensureCollections` would make, one line each. */
export async function missingCollections(store: Store): Promise<string[]> {
  const collections = await store.db.listCollections({}, { nameOnly: true }).toArray();
  const names = new Set(collections.map(({ name }) => name));
  const missing: string[] = [];
  for (const [collection, wanted] of Object.entries(COLLECTIONS)) {
    if (!names.has(collection)) missing.push(`collection ${collection}`);
    const indexes = names.has(collection)
      ? await store.db.collection(collection).listIndexes().toArray()
      : [];
    const found = new Set(indexes.map((index) => index.name as string));
    for (const { name } of wanted) if (!found.has(name)) missing.push(`index ${name} of ${collection}`);
  }
  return missing;
}

function unlessItExists(error: unknown): void {
  if (!(error instanceof MongoError && error.code === NAMESPACE_EXISTS)) throw error;
}
