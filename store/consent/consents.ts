import { timeNow } from '../../domain/time/elapsed';
import type { ClientSession } from 'mongodb';
import { createHmac, type KeyObject, sign, verify } from 'node:crypto';
import type { EntityType } from '../../domain/records/entity-types';
import { batchesOf } from '../records/records';
import { type LedgerKey, type LedgerKeys, readLedgerKeys } from '../secrets/ledger-keys';
import type { Store } from '../store';
import { listGranted, type Sharer, type Subscription, subscriptionId, subscriptions } from './subscriptions';

/** What a farmer granted, refused or revoked, and what became of it at the customer, with what is needed to show it again. */
export type ConsentAct = Act & (FarmersAct | OperatorsAct | EndedAct | DeletionAct);

interface Act {
  act: 'grant' | 'refusal' | 'revoke' | 'deletion_asked' | 'deletion_confirmed';
  channel: string;
  /** The registered name that the consent is given to. */
  channel_name: string;
  partner_id: string;
  farmer: string;
  account: string;
  entity_types: EntityType[];
  request_id: string;
}

/** Which text the farmer read, in which language. */
interface FarmersAct {
  text_version: string;
  language: string;
  /** Of a revoke by another phone of the account: its last two digits. */
  phone_ending?: string;
  /** Of a grant with an end: when it ends. */
  ends_at?: Date;
  /** Of a grant: whether the earlier records are shared too, or only what is new or changes since. */
  earlier?: boolean;
  /** Of a grant: what the customer has said that it gets the records for, as the farmer read it. */
  purpose?: string;
  /** Of a grant: to whom the customer has said that it may pass them on; nobody where there is none. */
  passes_on?: string[];
}

/** An operator's act on the farmer's word, where they cannot do it themselves. */
interface OperatorsAct {
  by: 'operator';
  reason: string;
}

/** The request to delete was offered to the customer, or it has said that it did. */
interface DeletionAct {
  by: 'service' | 'customer';
}

/** The revoke of a grant that has reached the end which its farmer had chosen. Nobody asks for it on that day. */
interface EndedAct {
  by: 'end';
  ends_at: Date;
}

/** One entry of a channel's hash chain: append-only, signed, each entry holds the hash of the previous one. */
export type Consent = ConsentAct & Link;

interface Link {
  /** `<channel>/<number>` */
  _id: string;
  number: number;
  at: Date;
  previous: string;
  /** Keyed (docs/decisions/0025). */
  hash: string;
  /** The id of the ledger's key that has hashed and signed it. */
  key: string;
  /** ed25519, as base64. */
  signature: string;
}

export const consents = (store: Store) => store.db.collection<Consent>('consents');

export const consentIndexes = [
  { name: 'chain', key: { channel: 1, number: 1 }, unique: true },
  { name: 'farmer', key: { farmer: 1, channel: 1, partner_id: 1, number: 1 } },
];

export const BEGINNING = '0'.repeat(64);

/**
 * Appends acts of one channel in order. The transaction's first write bumps its `shares_version`, so that no other
 * transaction appends to the same entry.
 */
export async function appendConsents(
  store: Store,
  acts: ConsentAct[],
  session: ClientSession,
): Promise<Consent[]> {
  const { channel } = acts[0]!;
  const last = await consents(store).findOne({ channel }, { sort: { number: -1 }, session });
  const links = linkBehind(last, acts, await readLedgerKeys(store, session));
  await consents(store).insertMany(links, { session });
  return links;
}

function linkBehind(last: Consent | null, acts: ConsentAct[], { known, signer }: LedgerKeys): Consent[] {
  const [at, current] = [timeNow(), known[0]!];
  let [number, previous] = [last?.number ?? 0, last?.hash ?? BEGINNING];
  return acts.map((act) => {
    number += 1;
    const link = { _id: `${act.channel}/${number}`, ...act, number, at, previous, key: current.id };
    previous = keyedHash(current, link);
    const hashed = { ...link, hash: previous };
    return { ...hashed, signature: signatureOf(signer, hashed) };
  });
}

/** The last entry of a channel's chain, as it is posted with the alerts. */
export async function readHead(store: Store, channel: string): Promise<Pick<Consent, '_id' | 'hash'> | null> {
  return consents(store).findOne({ channel }, { sort: { number: -1 }, projection: { hash: 1 } });
}

/**
 * Subscriptions that are granted although their last entry is not a grant, or missing: the end of the ledger was
 * removed.
 */
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
  const entries = await consents(store)
    .find({ farmer: { $in: [...new Set(farmers)] }, channel, account: { $in: accounts } })
    .sort({ number: 1 })
    .toArray();
  return new Map(entries.map((consent) => [subscriptionId(consent), consent.act]));
}

/** Without those that were revoked, and perhaps granted again, since they were read. */
async function stillGranted(store: Store, read: Subscription[]): Promise<Subscription[]> {
  const _id = { $in: read.map((one) => one._id) };
  const now = await subscriptions(store).find({ _id, state: 'granted' }).toArray();
  const versions = new Map(now.map((one) => [subscriptionId(one), one.version]));
  return read.filter((one) => versions.get(subscriptionId(one)) === one.version);
}

/** All consents of one farmer under one partner_id, in order: the receipt. */
export const listConsents = (store: Store, { farmer, channel, partner_id }: Sharer): Promise<Consent[]> =>
  consents(store).find({ farmer, channel, partner_id }).sort({ number: 1 }).toArray();

const OUTSIDE = new Set(['_id', 'hash', 'signature']);

/** All fields in alphabetical order, so that the text does not depend on the order in the document. */
export function fieldsOf(consent: object): string {
  const fields = Object.entries(consent).filter(([name]) => !OUTSIDE.has(name));
  return JSON.stringify(fields.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Keyed, so that a hash cannot be computed, and no entry guessed by its hash, without the ledger's key. */
export const keyedHash = ({ mac }: LedgerKey, consent: object) =>
  createHmac('sha256', mac).update(fieldsOf(consent)).digest('hex');

/** Signs the hash and all that it covers, so that the public key alone verifies the entry and its place. */
const signatureOf = (signer: KeyObject, consent: Pick<Consent, 'hash'>) =>
  sign(null, signedText(consent), signer).toString('base64');

export const isSigned = ({ publicKey }: LedgerKey, consent: Pick<Consent, 'hash' | 'signature'>) =>
  verify(null, signedText(consent), publicKey, Buffer.from(consent.signature, 'base64'));

const signedText = (consent: Pick<Consent, 'hash'>) => Buffer.from(`${consent.hash}\n${fieldsOf(consent)}`);
