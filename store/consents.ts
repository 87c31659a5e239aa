import { MongoBulkWriteError } from 'mongodb';
import { createHash } from 'node:crypto';
import type { EntityType } from '../domain/entity-types';
import { batchesOf } from './batches';
import type { Store } from './connect';
import { listGranted, type Subscription, subscriptionId, subscriptions } from './subscriptions';
import { isDuplicateKey } from './unavailable';

/** What a farmer agreed to, declined or took back, in words that can be shown again. */
export type ConsentAct = Act & (FarmersAct | OperatorsAct);

interface Act {
  act: 'grant' | 'refusal' | 'revoke';
  channel: string;
  /** The registered name that the consent is given to. */
  channel_name: string;
  partner_id: string;
  farmer: string;
  account: string;
  entity_types: EntityType[];
  request_id: string;
}

/** Which text was read, in which language. */
interface FarmersAct {
  text_version: string;
  language: string;
}

/** On the farmer's word, where he cannot do it himself. */
interface OperatorsAct {
  by: 'operator';
  reason: string;
}

/** One link of a channel's chain of evidence: append-only, each holding the hash of the one before. */
export type Consent = ConsentAct & Link;

interface Link {
  /** `<channel>/<number>` */
  _id: string;
  number: number;
  at: Date;
  previous: string;
  hash: string;
}

const consents = (store: Store) => store.db.collection<Consent>('consents');

export const consentIndexes = [
  { name: 'chain', key: { channel: 1, number: 1 }, unique: true },
  { name: 'farmer', key: { farmer: 1, channel: 1, partner_id: 1, number: 1 } },
];

const BEGINNING = '0'.repeat(64);

/** Appends acts in their order. Two hands at once: the second finds a number taken and links behind the first. */
export async function appendConsents(store: Store, acts: ConsentAct[]): Promise<Consent[]> {
  const appended: Consent[] = [];
  while (appended.length < acts.length) {
    const left = acts.slice(appended.length);
    const last = await consents(store).findOne({ channel: left[0]!.channel }, { sort: { number: -1 } });
    const links = linkBehind(last, left);
    appended.push(...links.slice(0, await insertUntilTaken(store, links)));
  }
  return appended;
}

function linkBehind(last: Consent | null, acts: ConsentAct[]): Consent[] {
  const at = new Date();
  let [number, previous] = [last?.number ?? 0, last?.hash ?? BEGINNING];
  return acts.map((act) => {
    const link = { ...act, number: ++number, at, previous };
    const consent = { _id: `${act.channel}/${number}`, ...link, hash: hashOf(link) };
    previous = consent.hash;
    return consent;
  });
}

/** @returns how many were written before one whose number is taken */
async function insertUntilTaken(store: Store, links: Consent[]): Promise<number> {
  try {
    return (await consents(store).insertMany(links, { ordered: true })).insertedCount;
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError) || !isDuplicateKey(error)) throw error;
    return error.insertedCount;
  }
}

export type ChainVerdict =
  { ok: true; links: number; head: string } | { ok: false; links: number; broken: string; why: string };

/** Walks a channel's chain from its beginning and names the first link that does not hold. */
export async function verifyConsents(store: Store, channel: string): Promise<ChainVerdict> {
  let previous = BEGINNING;
  let links = 0;
  for await (const { _id, hash, ...link } of consents(store).find({ channel }).sort({ number: 1 })) {
    const broken = (why: string): ChainVerdict => ({ ok: false, links, broken: _id, why });
    if (link.number !== links + 1) return broken(`number ${links + 1} is missing before it`);
    if (link.previous !== previous) return broken('it does not hold the hash of the one before');
    if (hashOf(link) !== hash) return broken('its content was altered');
    previous = hash;
    links += 1;
  }
  return { ok: true, links, head: previous };
}

/** What is shared although its last entry is no grant, or it has none: the ledger's end was removed. */
export async function listWithoutGrant(store: Store, channel: string): Promise<Subscription[]> {
  const found: Subscription[] = [];
  for (const batch of batchesOf(await listGranted(store, channel))) {
    const acts = await lastActs(store, channel, batch);
    const without = batch.filter((one) => acts.get(subscriptionId(one)) !== 'grant');
    if (without.length > 0) found.push(...(await stillGranted(store, without)));
  }
  return found;
}

async function lastActs(store: Store, channel: string, of: Subscription[]) {
  const [farmers, accounts] = [of.map(({ farmer }) => farmer), of.map(({ account }) => account)];
  const said = await consents(store)
    .find({ farmer: { $in: [...new Set(farmers)] }, channel, account: { $in: accounts } })
    .sort({ number: 1 })
    .toArray();
  return new Map(said.map((consent) => [subscriptionId(consent), consent.act]));
}

/** Without what was revoked, and perhaps granted anew, since it was read. */
async function stillGranted(store: Store, read: Subscription[]): Promise<Subscription[]> {
  const _id = { $in: read.map((one) => one._id) };
  const now = await subscriptions(store).find({ _id, state: 'granted' }).toArray();
  const versions = new Map(now.map((one) => [subscriptionId(one), one.version]));
  return read.filter((one) => versions.get(subscriptionId(one)) === one.version);
}

/** What one farmer has said under one partner_id, in order: the receipt. */
export async function listConsents(
  store: Store,
  who: { channel: string; partner_id: string; farmer: string },
): Promise<Consent[]> {
  const { farmer, channel, partner_id } = who;
  return consents(store).find({ farmer, channel, partner_id }).sort({ number: 1 }).toArray();
}

// Every field, in the order of its name, so that the hash does not depend on how the document was written.
function hashOf(link: Omit<Consent, '_id' | 'hash'>): string {
  const fields = Object.entries(link).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex');
}
