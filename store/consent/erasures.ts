import { timeNow } from '../../domain/time/elapsed';
import { createHmac } from 'node:crypto';
import { addTo } from '../../domain/records/add-to';
import { deriveKey } from '../secrets/seal';
import { readLedgerKeys } from '../secrets/ledger-keys';
import type { Store } from '../store';
import { isFirst } from '../unavailable';
import { listFarmers } from './farmers';

/**
 * Records that a farmer was erased, to repeat it after an older backup is restored. It is posted with the ledger's heads and
 * names nobody: without the keys or a backup with the farmer's id, it says only that somebody was erased.
 */
export interface Erasure {
  /** Without gaps, so that a file that lacks some is noticed. */
  _id: number;
  /** A keyed hash of the farmer's id. */
  hash: string;
  /** Proves number and hash to be this service's. */
  tag: string;
  at: Date;
  posted: Date | null;
}

const erasures = (store: Store) => store.db.collection<Erasure>('erasures');

export const erasureIndexes = [
  { name: 'hash', key: { hash: 1 }, unique: true },
  { name: 'posted', key: { posted: 1 } },
];

/** Derived from the ledger's first key, which is in every backup and is never replaced. */
async function keyOf(store: Store): Promise<Buffer> {
  const { known } = await readLedgerKeys(store);
  return deriveKey(known.at(-1)!.mac, 'erasures');
}

const keyed = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest('hex');
const hashOf = (key: Buffer, farmer: string) => keyed(key, `farmer:${farmer}`);
const tagOf = (key: Buffer, number: number, hash: string) => keyed(key, `${number}:${hash}`).slice(0, 16);

/** Notes an erasure, before the link from the phone is removed. An erasure that is repeated is noted once. */
export async function noteErasure(store: Store, farmer: string): Promise<void> {
  await keepErasures(store, [hashOf(await keyOf(store), farmer)]);
}

/** Stores the erasures with these hashes that are missing, under the next numbers, so that they are posted. */
export async function keepErasures(store: Store, hashes: string[]): Promise<void> {
  const key = await keyOf(store);
  for (const hash of hashes)
    while (!(await erasures(store).findOne({ hash }))) {
      const _id = (await lastNumber(store)) + 1;
      const erasure = { _id, hash, tag: tagOf(key, _id, hash), at: timeNow(), posted: null };
      await isFirst(erasures(store).insertOne(erasure)); // another erasure may be faster
    }
}

async function lastNumber(store: Store): Promise<number> {
  return (await erasures(store).findOne({}, { sort: { _id: -1 } }))?._id ?? 0;
}

const MOST_POSTED = 100;

/** The erasures that have not been posted yet, in order of their numbers, at most `MOST_POSTED`. */
export async function readUnposted(store: Store): Promise<Erasure[]> {
  return erasures(store).find({ posted: null }).sort({ _id: 1 }).limit(MOST_POSTED).toArray();
}

/** The newest erasure, whose number says how many there are. Posted whenever heads are. */
export async function readNewest(store: Store): Promise<Erasure[]> {
  return erasures(store).find().sort({ _id: -1 }).limit(1).toArray();
}

export async function markPosted(store: Store, posted: Erasure[], at: Date): Promise<void> {
  const _id = { $in: posted.map((one) => one._id) };
  await erasures(store).updateMany({ _id, posted: null }, { $set: { posted: at } });
}

/** An erasure as it goes out. It cannot be read as a head of a ledger. */
export const formatErasure = ({ _id, hash, tag }: Pick<Erasure, '_id' | 'hash' | 'tag'>) =>
  `erased:${_id}:${hash}:${tag}`;

/** The hashes that a text names, or what is wrong with it. */
type Named = { hashes: string[] } | { wrong: string };

const ANY = /erased:\d+(?::[0-9a-f]*)*/g;
const WHOLE = /^erased:(?<number>[1-9]\d{0,8}):(?<hash>[0-9a-f]{64}):(?<tag>[0-9a-f]{16})$/;

/** Reads what had gone out from a text that holds it in any form. Nothing of a text with a flaw is used. */
export async function readErasures(store: Store, text: string): Promise<Named> {
  const key = await keyOf(store);
  const hashes = new Map<number, string[]>();
  for (const [one] of text.matchAll(ANY)) {
    const { number, hash, tag } = WHOLE.exec(one)?.groups ?? {};
    const start = one.slice(0, 24);
    if (!hash) return { wrong: `an entry is cut off (${start})` };
    if (tagOf(key, Number(number), hash) !== tag)
      return { wrong: `an entry was not made by this service’s key, or was changed (${start})` };
    addTo(hashes, Number(number), hash);
  }
  const last = Math.max(0, ...hashes.keys());
  for (let number = (await lastNumber(store)) + 1; number < last; number++)
    if (!hashes.has(number)) return { wrong: `erasure ${number} is missing, and ${last} is named` };
  return { hashes: [...new Set([...hashes].sort(([a], [b]) => a - b).flatMap(([, list]) => list))] };
}

/** The farmers that these hashes name: the hashes of their phones by their id. */
export async function farmersNamed(store: Store, hashes: string[]): Promise<Map<string, string[]>> {
  const [key, wanted] = [await keyOf(store), new Set(hashes)];
  const named = new Map<string, string[]>();
  for await (const { _id, farmer } of listFarmers(store))
    if (wanted.has(hashOf(key, farmer))) addTo(named, farmer, _id);
  return named;
}
