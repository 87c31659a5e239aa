import { MongoError, type IndexDescription, type IndexDescriptionInfo } from 'mongodb';
import { ENTITY_TYPES } from '../../domain/records/entity-types';
import { actionLinkIndexes } from '../consent/action-chain';
import { alertIndexes } from '../alerts/alerts';
import { attemptCountIndexes } from '../codes/attempt-counts';
import { codeActivityIndexes } from '../codes/code-activity';
import { catchUpIndexes } from '../markers/catch-ups';
import { channelIndexes } from '../channels/channels';
import { customerNoticeIndexes } from '../alerts/customer-notices';
import type { Store } from '../store';
import { consentIndexes } from '../consent/consents';
import { erasureIndexes } from '../consent/erasures';
import { farmerNoticeIndexes } from '../consent/farmer-notices';
import { farmerIndexes } from '../consent/farmers';
import { deliveryIndexes } from '../deliveries/deliveries';
import { farmerSessionIndexes } from '../sessions/farmer-sessions';
import { integrationIndexes } from '../callers/integrations';
import { markerIndexes } from '../markers/markers';
import { operatorActionIndexes } from '../callers/operator-actions';
import { pageSessionIndexes } from '../sessions/page-sessions';
import { operatorIndexes } from '../callers/operators';
import { erpWordIndexes } from '../push/erp-words';
import { pushActivityIndexes } from '../push/push-activity';
import { pushReceiptIndexes } from '../push/push-receipts';
import { processClockIndexes } from './process-clocks';
import { recordIndexes } from '../records/records';
import { setAsideIndexes } from '../deliveries/set-aside';
import { signInCodeIndexes } from '../codes/sign-in-codes';
import { tokenUseIndexes } from '../callers/token-use';
import { passedFieldsIndexes } from '../sharing/passed-fields';
import { subscriptionIndexes } from '../consent/subscriptions';
import { waitingPageIndexes } from '../markers/waiting-pages';

const NAMESPACE_EXISTS = 48;

type Index = IndexDescription & { name: string };

/**
 * Every collection with its indexes (docs/architecture.md#in-mongodb). A new one is a line here; `gdx migrate`
 * creates it.
 */
export const COLLECTIONS = {
  ...Object.fromEntries(ENTITY_TYPES.map((type) => [type, recordIndexes(type)])),
  counters: [],
  erp_words: erpWordIndexes,
  push_queues: [],
  elevators: [],
  integrations: integrationIndexes,
  endings: [],
  channels: channelIndexes,
  passed_fields: passedFieldsIndexes,
  push_receipts: pushReceiptIndexes,
  push_activity: pushActivityIndexes,
  markers: [...markerIndexes, ...catchUpIndexes],
  waiting_pages: waitingPageIndexes,
  deliveries: deliveryIndexes,
  alerts: alertIndexes,
  customer_notices: customerNoticeIndexes,
  set_aside: setAsideIndexes,
  subscriptions: subscriptionIndexes,
  consents: consentIndexes,
  farmers: farmerIndexes,
  erasures: erasureIndexes,
  farmer_notices: farmerNoticeIndexes,
  sessions: farmerSessionIndexes,
  sign_in_codes: signInCodeIndexes,
  attempt_counts: attemptCountIndexes,
  code_activity: codeActivityIndexes,
  paused_codes: [],
  operators: operatorIndexes,
  operator_sessions: pageSessionIndexes,
  customer_sessions: pageSessionIndexes,
  operator_actions: operatorActionIndexes,
  action_links: actionLinkIndexes,
  keys: [],
  link_keys: [],
  token_uses: tokenUseIndexes,
  process_clocks: processClockIndexes,
} as Record<string, Index[]>;

/**
 * Creates what is missing, so that no transaction has to create a collection. An index with another expiry is dropped
 * and created again, as changing it needs more than the readWrite role. Idempotent.
 */
export async function ensureCollections(store: Store): Promise<void> {
  for (const [collection, wanted] of Object.entries(COLLECTIONS)) {
    await store.db.createCollection(collection).catch(unlessItExists);
    if (wanted.length === 0) continue;
    const found = await indexesOf(store, collection);
    for (const index of wanted) {
      const old = found.get(index.name);
      if (old && !keepsAsLong(old, index)) await store.db.collection(collection).dropIndex(index.name);
    }
    await store.db.collection(collection).createIndexes(wanted);
  }
}

/** What `ensureCollections` would create, one line each. */
export async function missingCollections(store: Store): Promise<string[]> {
  const collections = await store.db.listCollections({}, { nameOnly: true }).toArray();
  const names = new Set(collections.map(({ name }) => name));
  const missing: string[] = [];
  for (const [collection, wanted] of Object.entries(COLLECTIONS)) {
    if (!names.has(collection)) missing.push(`collection ${collection}`);
    const found = names.has(collection) ? await indexesOf(store, collection) : undefined;
    for (const index of wanted) {
      const made = found?.get(index.name);
      if (!made || !keepsAsLong(made, index)) missing.push(`index ${index.name} of ${collection}`);
    }
  }
  return missing;
}

async function indexesOf(store: Store, collection: string): Promise<Map<string, IndexDescriptionInfo>> {
  const indexes = await store.db.collection(collection).indexes();
  return new Map(indexes.map((index) => [index.name ?? '', index]));
}

const keepsAsLong = (one: Pick<Index, 'expireAfterSeconds'>, other: Pick<Index, 'expireAfterSeconds'>) =>
  one.expireAfterSeconds === other.expireAfterSeconds;

function unlessItExists(error: unknown): void {
  if (!(error instanceof MongoError && error.code === NAMESPACE_EXISTS)) throw error;
}
