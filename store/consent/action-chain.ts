import { createHmac } from 'node:crypto';
import { DAY_MS, HOUR_MS } from '../../domain/time/spans';
import { BEGINNING, fieldsOf } from './consents';
import { batchesOf } from '../records/records';
import { readAlertSecret } from '../secrets/alert-secret';
import { deriveKey } from '../secrets/seal';
import type { Store } from '../store';
import { isFirst } from '../unavailable';

/**
 * One link of the hash chain over what is kept for good in `operator_actions`. The worker makes it after the action,
 * so that no action waits for another (docs/contract.md O17).
 */
export interface ActionLink {
  /** Counts from 1 without a gap. */
  _id: number;
  /** The `_id` of the action, or of its outcome. */
  of: string;
  /** When the worker came upon it. */
  at: Date;
  /** Keyed hash of all that was recorded. */
  content: string;
  previous: string;
  hash: string;
  /** When this was posted as head. Not hashed. */
  posted?: Date;
}

/** What the chain is over: an action, or its outcome. */
export interface Kept {
  _id: string;
  at: Date;
  /** Whoever erases a farmer from it puts this in, so that the change is not taken for somebody else's. */
  erased?: string;
}

/** An action that is older than this when it is linked, was not there before. */
export const LATEST_MS = HOUR_MS;

export const actionLinks = (store: Store) => store.db.collection<ActionLink>('action_links');

export const actionLinkIndexes = [{ name: 'of', key: { of: 1 }, unique: true }];

/** What customers did expires, and is not linked. */
export const kept = (store: Store) => store.db.collection<Kept>('operator_actions');
export const KEPT_FOR_GOOD = { expires_at: null } as object;

/** Of what neither the database nor the API's right to insert gives. */
export const readChainKey = async (store: Store): Promise<Buffer> =>
  deriveKey(Buffer.from(await readAlertSecret(store)), 'actions');

const keyed = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest('hex');

export const contentOf = (key: Buffer, { _id, erased: _, ...fields }: Kept) =>
  keyed(key, fieldsOf({ of: _id, ...fields }));

export const erasedMark = (key: Buffer, action: Kept) => keyed(key, `erased:${contentOf(key, action)}`);

/** For whoever erases a farmer from what was recorded. */
export async function erasedMarker(store: Store): Promise<(action: Kept) => string> {
  const key = await readChainKey(store);
  return (action) => erasedMark(key, action);
}

export const linkHash = (key: Buffer, { _id, of, at, content, previous }: Omit<ActionLink, 'hash'>) =>
  keyed(key, fieldsOf({ number: _id, of, at, content, previous }));

const readLast = (store: Store) => actionLinks(store).findOne({}, { sort: { _id: -1 } });

/** Links what has been recorded since the last time. Of two workers at once one stops. */
export async function linkActions(store: Store, now: Date): Promise<void> {
  let last = await readLast(store);
  const missing = await unlinkedSince(store, Math.min(last?.at.getTime() ?? 0, now.getTime()) - LATEST_MS);
  if (missing.length === 0) return;
  const key = await readChainKey(store);
  for (const ids of batchesOf(missing)) {
    const found = await kept(store)
      .find({ _id: { $in: ids } })
      .sort({ at: 1, _id: 1 })
      .toArray();
    const links = found.map((action) => (last = linkBehind(key, last, action, now)));
    if (!(await isFirst(actionLinks(store).insertMany(links)))) return;
  }
}

async function unlinkedSince(store: Store, since: number): Promise<string[]> {
  const recent = await kept(store)
    .find({ at: { $gte: new Date(since) }, ...KEPT_FOR_GOOD }, { projection: { _id: 1 } })
    .sort({ at: 1, _id: 1 })
    .toArray();
  const missing: string[] = [];
  for (const batch of batchesOf(recent.map(({ _id }) => _id))) {
    const linked = await actionLinks(store)
      .find({ of: { $in: batch } })
      .toArray();
    const known = new Set(linked.map(({ of }) => of));
    missing.push(...batch.filter((id) => !known.has(id)));
  }
  return missing;
}

function linkBehind(key: Buffer, last: ActionLink | null, action: Kept, at: Date): ActionLink {
  const { _id: number, hash: previous } = last ?? { _id: 0, hash: BEGINNING };
  const link = { _id: number + 1, of: action._id, at, content: contentOf(key, action), previous };
  return { ...link, hash: linkHash(key, link) };
}

/** The end of the chain, if it is to be posted now: once it has moved, at most once an hour, and once a day. */
export async function readDueActionHead(store: Store, now: Date): Promise<ActionLink | undefined> {
  const last = await readLast(store);
  if (!last) return undefined;
  const posted = await actionLinks(store).findOne({ posted: { $exists: true } }, { sort: { _id: -1 } });
  if (!posted) return last;
  const age = now.getTime() - posted.posted!.getTime();
  return age >= DAY_MS || (age >= HOUR_MS && posted._id !== last._id) ? last : undefined;
}

export async function markActionHeadPosted(store: Store, { _id }: ActionLink, posted: Date): Promise<void> {
  await actionLinks(store).updateOne({ _id }, { $set: { posted } });
}

/** As it goes out. It cannot be read as a head of a channel's ledger. */
export const formatActionHead = ({ _id, hash }: Pick<ActionLink, '_id' | 'hash'>) => `actions:${_id}:${hash}`;
