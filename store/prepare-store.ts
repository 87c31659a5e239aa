import { MongoError, type IndexDescription } from 'mongodb';
import { ENTITY_TYPES } from '../domain/entity-types';
import { attemptCountIndexes } from './attempt-counts';
import { channelIndexes } from './channels';
import type { Store } from './connect';
import { consentIndexes } from './consents';
import { seedCounters } from './counters';
import { deliveryIndexes } from './deliveries';
import { farmerSessionIndexes } from './farmer-sessions';
import { integrationIndexes } from './integrations';
import { markerIndexes } from './markers';
import { pushReceiptIndexes } from './push-receipts';
import { recordIndexes } from './records';
import { signInCodeIndexes } from './sign-in-codes';
import { subscriptionIndexes } from './subscriptions';

const NAMESPACE_EXISTS = 48;

/**
 * Makes what is missing: collections (a transaction must not have to create one), indexes, counters.
 * Every process calls it at start; calling it again changes nothing.
 */
export async function prepareStore(store: Store): Promise<void> {
  const indexes: Record<string, IndexDescription[]> = {
    ...Object.fromEntries(ENTITY_TYPES.map((type) => [type, recordIndexes(type)])),
    counters: [],
    elevators: [],
    integrations: integrationIndexes,
    channels: channelIndexes,
    push_receipts: pushReceiptIndexes,
    markers: markerIndexes,
    deliveries: deliveryIndexes,
    subscriptions: subscriptionIndexes,
    consents: consentIndexes,
    sessions: farmerSessionIndexes,
    sign_in_codes: signInCodeIndexes,
    attempt_counts: attemptCountIndexes,
  } as Record<string, IndexDescription[]>;
  for (const [collection, wanted] of Object.entries(indexes)) {
    await store.db.createCollection(collection).catch(unlessItExists);
    if (wanted.length > 0) await store.db.collection(collection).createIndexes(wanted);
  }
  await seedCounters(store);
}

function unlessItExists(error: unknown): void {
  if (!(error instanceof MongoError && error.code === NAMESPACE_EXISTS)) throw error;
}
