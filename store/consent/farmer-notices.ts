import { timeNow } from '../../domain/time/elapsed';
import type { ClientSession } from 'mongodb';
import { randomUUID } from 'node:crypto';
import type { Language } from '../../domain/text/language';
import { batchesOf } from '../records/records';
import type { Store } from '../store';
import { isDuplicateKey, NEWEST, WriteTimeout } from '../unavailable';

/** What a farmer is told by text, beside codes. Known by the farmer's id: the phone is found when a text is sent. */
export interface FarmerNotices {
  _id: string;
  /** When they first shared something: the years of the reminders are counted from then. */
  from: Date;
  /** The years whose reminder was noted: each once, whatever clocks say. */
  years: number[];
  language: Language;
  /** What they are to be told of, by `newsOf`. A channel's slug alone, as it stood here before, is a grant of theirs. */
  begun: string[];
  /** What the text says that is being sent, or was when its process died, under a random key: it is repeated as it was. */
  sending?: { key: string; news: string[] };
  /** Texts of these that failed. */
  tries: number;
  /** A random word of whoever sends to them now. */
  taken: string | null;
  /** A random word that each of their stops replaces; missing or null before the first. */
  stop?: string | null;
  /** A random word that each of their grants replaces. */
  granted?: string;
}

export const farmerNotices = (store: Store) => store.db.collection<FarmerNotices>('farmer_notices');

export const farmerNoticeIndexes = [
  { name: 'begun', key: { begun: 1 } },
  { name: 'from', key: { from: 1 } },
  { name: 'taken', key: { taken: 1 } },
];

/**
 * What a farmer is told of by text: their own grant, stop, change or an end that is near, or the grant of another phone of an account
 * of theirs; and once a year of all that they share. `others` is no text: it has the other phones of the accounts told.
 */
type Kind = 'others' | 'begun' | 'stopped' | 'changed' | 'ending' | 'other' | 'yearly';

/** @param since the channel's `shares_version` that the act took; of `ending` the last day; of `yearly` the year; '' of any */
export const newsOf = (kind: Kind, channel: string, since: number | string, farmer: string) =>
  `${kind}/${channel}/${since}/${farmer}`;

/** @returns also whose grant it is; '' for whoever is told */
export function readNews(news: string): { kind: Kind; channel: string; since: string; whose: string } {
  const [kind, channel, since, ...whose] = news.split('/') as [Kind, ...string[]];
  if (channel === undefined) return { kind: 'begun', channel: news, since: '', whose: '' };
  return { kind, channel, since: since!, whose: whose.join('/') };
}

/** What goes into one text with the first of them. */
function withFirst(all: string[]): string[] {
  const textOf = (news: string) => {
    const { kind, since, whose } = readNews(news);
    return { others: news, other: `${kind}/${whose}`, ending: `${kind}/${since}` }[kind as string] ?? kind;
  };
  return all.filter((news) => textOf(news) === textOf(all[0]!));
}

/** The farmer was erased, or is being erased: nothing is granted by this id any more. */
export class FarmerErased extends Error {
  override name = 'FarmerErased';
}

/** The farmer has stopped something since the page was read: nothing more of it is granted. */
export class FarmerStopped extends Error {
  override name = 'FarmerStopped';
}

/** The farmer's last stop, as `noteGranted` wants it. */
export async function readStop(store: Store, farmer: string): Promise<string | null> {
  return (await farmerNotices(store).findOne({ _id: farmer }, NEWEST))?.stop ?? null;
}

/**
 * Notes that the farmer stops something, and in which language, before what is to end is looked up. It waits for a grant that is being written, and none
 * that was begun before it is written after it.
 */
export async function noteStop(store: Store, farmer: string, language: Language): Promise<void> {
  const update = { $setOnInsert: NOTHING_TOLD, $set: { stop: randomUUID(), language } };
  await farmerNotices(store).updateOne({ _id: farmer }, update, { upsert: true });
}

/**
 * Notes the stop in a revoke's transaction: a page that was shown before the commit grants nothing after it.
 * @param last `readStop` before the page was read that revokes; undefined where there was no page
 * @throws FarmerStopped when there is another since
 */
export async function noteRevoked(
  store: Store,
  farmer: string,
  last: string | null | undefined,
  news: string,
  session: ClientSession,
): Promise<string> {
  const stop = randomUUID();
  const asRead = { _id: farmer, erased: { $exists: false }, ...(last !== undefined && { stop: last }) };
  const update = { $set: { stop, tries: 0 }, $addToSet: { begun: news } };
  const { matchedCount } = await farmerNotices(store).updateOne(asRead, update, { session });
  if (matchedCount === 0 && last !== undefined) throw new FarmerStopped();
  return stop;
}

const NOTHING_TOLD = { years: [], taken: null };

/**
 * Notes in a grant's transaction that the farmer grants, and what they are to be told of: a crash loses no notice. It always
 * changes the document, as a write that changes nothing would be in the way of no stop and no erasure.
 * @param stop `readStop` before the page was read; undefined where there was no page
 * @param told without it nothing has changed
 * @throws FarmerErased; FarmerStopped; WriteTimeout when another grant of the farmer is being written
 */
export async function noteGranted(
  store: Store,
  farmer: string,
  {
    told,
    stop,
  }: { told?: { news: string[]; language: Language } | undefined } & { stop?: string | null | undefined },
  session: ClientSession,
): Promise<void> {
  const update = {
    $setOnInsert: NOTHING_TOLD,
    $set: { granted: randomUUID(), ...(told && { language: told.language, tries: 0 }) },
    ...(told && { $min: { from: timeNow() }, $addToSet: { begun: { $each: told.news } } }),
  };
  await farmerNotices(store)
    .updateOne({ _id: farmer, erased: { $exists: false }, ...(stop !== undefined && { stop }) }, update, {
      upsert: true,
      session,
    })
    .catch(async (error: unknown) => {
      if (!isDuplicateKey(error)) throw error;
      if (await erasures(store).findOne({ _id: farmer, erased: true }, NEWEST)) throw new FarmerErased();
      if (stop !== undefined && stop !== (await readStop(store, farmer))) throw new FarmerStopped();
      throw new WriteTimeout('another grant of the farmer is being written');
    });
}

/** Notes in a transaction what else a farmer is to be told, in `language` where none of theirs is known. It fails for one who was erased. */
export async function noteNews(
  store: Store,
  _id: string,
  { news, language }: { news: string[]; language: Language },
  session: ClientSession,
): Promise<void> {
  const update = {
    $setOnInsert: { ...NOTHING_TOLD, language },
    $set: { tries: 0 },
    $addToSet: { begun: { $each: news } },
  };
  const known = { _id, erased: { $exists: false } };
  await farmerNotices(store).updateOne(known, update, { upsert: true, session });
}

/** Notes that a farmer is to be reminded of what they share, once for each year. An erased one has no `from`. */
export async function noteYear(
  store: Store,
  { _id, from }: Pick<FarmerNotices, '_id' | 'from'>,
  year: number,
): Promise<void> {
  const news = { years: year, begun: newsOf('yearly', '', year, '') };
  await farmerNotices(store).updateOne({ _id, from, years: { $ne: year } }, { $addToSet: news });
}

/**
 * Replaces a farmer's notices by the mark that they were erased. It waits for a grant that is being written, and none is
 * written after it. The id stays, as it does in the ledger; after the erasure no phone leads to it.
 */
export async function eraseNotices(store: Store, farmer: string): Promise<void> {
  await erasures(store).replaceOne({ _id: farmer }, { erased: true }, { upsert: true });
}

const erasures = (store: Store) => store.db.collection<{ _id: string; erased?: true }>('farmer_notices');

// As the index `begun` has it: a list with an entry.
const ANY = { $gte: '' };

/** Whether any of these farmers is still to be told something. */
export async function isAnyToBeTold(store: Store, farmers: string[]): Promise<boolean> {
  for (const _id of batchesOf(farmers))
    if (await farmerNotices(store).findOne({ _id: { $in: _id }, begun: ANY })) return true;
  return false;
}

/**
 * Takes the right to send the next text to one farmer, and keeps what it says before it is sent.
 * @returns null when somebody else has it, or there is nothing to tell
 */
export async function takeBegun(store: Store, farmer: string, word: string) {
  const taken = await farmerNotices(store).findOneAndUpdate(
    { _id: farmer, begun: ANY, taken: null },
    { $set: { taken: word } },
    { returnDocument: 'after' },
  );
  if (!taken) return null;
  const { sending = { key: word, news: withFirst(taken.begun) } } = taken;
  const kept = await farmerNotices(store).updateOne({ _id: farmer, taken: word }, { $set: { sending } });
  return kept.matchedCount === 1 ? { ...taken, sending } : null;
}

/** The most tries at one text, an hour apart. */
const MOST_TRIES = 24;

/** Removes what was told; what is newer stays. @returns false where somebody else has it by now */
export async function endBegun(
  store: Store,
  { _id, taken, sending }: NonNullable<Awaited<ReturnType<typeof takeBegun>>>,
  session?: ClientSession,
): Promise<boolean> {
  const { matchedCount } = await farmerNotices(store).updateOne(
    { _id, taken },
    { $pull: { begun: { $in: sending.news } }, $set: { taken: null, tries: 0 }, $unset: { sending: 1 } },
    { ...(session && { session }) },
  );
  return matchedCount === 1;
}

/** The provider did not take the text: it is tried again. */
export async function giveBack(store: Store, { _id, taken }: FarmerNotices): Promise<void> {
  await farmerNotices(store).updateOne({ _id, taken }, { $set: { taken: null }, $inc: { tries: 1 } });
}

/** Gives up these texts to farmers to whom they have failed too often. */
export async function giveUpBegun(store: Store): Promise<void> {
  await farmerNotices(store).updateMany(
    { begun: ANY, tries: { $gte: MOST_TRIES }, taken: null },
    { $set: { begun: [], tries: 0 }, $unset: { sending: 1 } },
  );
}

/** Farmers who are to be told of something; without those to whom a text has failed where `failed` is false. */
export async function listBegun(store: Store, failed: boolean): Promise<string[]> {
  const found = await farmerNotices(store)
    .find({ begun: ANY, taken: null, ...(failed ? {} : { tries: 0 }) }, { projection: { _id: 1 } })
    .toArray();
  return found.map(({ _id }) => _id);
}

/** Farmers who first shared something at that time or before. */
export const sharingSince = (store: Store, at: Date) =>
  farmerNotices(store).find({ from: { $lte: at } }, { projection: { from: 1, years: 1 } });

/** Who holds the right to send, by farmer. */
export async function listTaken(store: Store): Promise<Map<string, string>> {
  const found = await farmerNotices(store)
    .find({ taken: { $ne: null } })
    .toArray();
  return new Map(found.flatMap(({ _id, taken }) => (taken === null ? [] : [[_id, taken]])));
}

/** Takes it from a process that has died. */
export async function freeTaken(store: Store, farmer: string, taken: string): Promise<void> {
  await farmerNotices(store).updateOne({ _id: farmer, taken }, { $set: { taken: null } });
}
