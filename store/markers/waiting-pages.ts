import { hasCome, timeNow } from '../../domain/time/elapsed';
import { promisify } from 'node:util';
import { constants, gunzip, gzip } from 'node:zlib';
import type { ClientSession } from 'mongodb';
import type { Totals } from '../../domain/deliveries/delivery';
import type { EntityType } from '../../domain/records/entity-types';
import type { Channel } from '../channels/channels';
import { mayLeave } from '../channels/claim-channel';
import type { Store } from '../store';
import { isFirst } from '../unavailable';
import type { PageMove } from './make-move';
import { type Fence, holdsEpoch, markerId } from './markers';

/**
 * Per channel and entity type, where the customer collects its pages itself: its questions, and the page that waits for it
 * (docs/architecture.md#pull).
 */
export interface WaitingPage {
  /** As the marker's. */
  _id: string;
  channel: string;
  entity_type: EntityType;
  /** Counts the customer's questions and confirmations. */
  asks: number;
  /** There was nothing to lay out for any question up to this one. */
  settled?: number;
  /** The `webhook-id` of the page. */
  page?: string;
  /** Until when the page is given out; afterwards it is signed and its shares are read again. */
  until?: Date;
  laid?: Laid;
  /** The last pages that were confirmed, the newest at the end. */
  passed?: string[];
  /** What the customer has confirmed of a delivery. */
  done?: Done;
}

/** The page as it was made. A later change comes on a later page. */
interface Laid {
  /** Laid out for all questions up to this one. */
  asks: number;
  shares_version: number;
  fence: Fence;
  headers: Record<string, string>;
  /** Packed. */
  body: Buffer;
  /** The size of `body` unpacked and packed, together. */
  bytes: number;
  confirmation: Confirmation;
}

/** What is changed when the page is confirmed. */
export interface Confirmation {
  move: PageMove;
  done: Done;
  /** The accounts of its records, where they are shared one by one. */
  accounts: string[];
}

export type Done = { delivery: string } & Pick<Totals, 'pages' | 'records' | 'bytes'>;

export interface LaidPage extends Omit<Laid, 'bytes'> {
  page: string;
  until: Date;
}

const KEPT_S = 3_600;
// A confirmation is repeated after a 503; another client of the channel may have continued concurrently.
const MOST_PASSED = 50;
const NO_PAGE = { page: 1, until: 1, laid: 1 } as const;

export const waitingPageIndexes = [
  { name: 'channel', key: { channel: 1 } },
  { name: 'until', key: { until: 1 }, expireAfterSeconds: KEPT_S },
];

export const waitingPages = (store: Store) => store.db.collection<WaitingPage>('waiting_pages');
const pack = promisify(gzip);
const unpack = promisify(gunzip);

/**
 * Counts a question. Not by `findOneAndUpdate`, for which a server keeps an image of the document, page included.
 * @returns its number, or a higher one if others asked at the same moment; and whether another question is unanswered
 */
export async function askForPage(
  store: Store,
  channel: string,
  type: EntityType,
): Promise<{ asks: number; isAnother: boolean }> {
  const _id = markerId(channel, type);
  for (;;) {
    const counting = waitingPages(store).updateOne(
      { _id },
      { $inc: { asks: 1 }, $setOnInsert: { channel, entity_type: type } },
      { upsert: true },
    );
    if (!(await isFirst(counting))) continue; // two first questions at once
    const asked = await readWaitingState(store, channel, type);
    if (asked) return { asks: asked.asks, isAnother: asked.asks - 1 > answeredOf(asked) };
  }
}

/** What waits, without its bytes. */
export type WaitingState = Pick<
  WaitingPage,
  '_id' | 'entity_type' | 'asks' | 'settled' | 'page' | 'until' | 'done'
> & {
  laid?: Pick<Laid, 'asks' | 'shares_version' | 'fence' | 'bytes'>;
};

const STATE = {
  ...{ entity_type: 1, asks: 1, settled: 1, page: 1, until: 1, done: 1 },
  ...{ 'laid.asks': 1, 'laid.shares_version': 1, 'laid.fence': 1, 'laid.bytes': 1 },
} as const;

export async function readWaitingState(
  store: Store,
  channel: string,
  type: EntityType,
): Promise<WaitingState | null> {
  return waitingPages(store).findOne<WaitingState>({ _id: markerId(channel, type) }, { projection: STATE });
}

/** The number of the last question that no longer waits for a page to be laid out. */
export const answeredOf = ({ settled = 0, laid }: Pick<WaitingState, 'settled' | 'laid'>) =>
  Math.max(settled, laid?.asks ?? 0);

/** Whether the waiting page may be given out: it is fresh, the channel is the one that it was made for, and there is no newer attempt. */
export async function isToGiveOut(
  store: Store,
  { entity_type, until, laid }: WaitingState,
  channel: Channel | null,
): Promise<boolean> {
  if (!channel || !laid || !until || hasCome(until)) return false;
  const made = { ...channel, delivery: 'pull', shares_version: laid.shares_version } as const;
  return mayLeave(channel, entity_type, made) && holdsEpoch(store, laid.fence);
}

/** The page's headers and bytes, if it still waits. */
export async function openWaitingPage(
  store: Store,
  { _id, page, laid }: WaitingState,
): Promise<{ headers: Record<string, string>; body: Buffer } | undefined> {
  if (page === undefined || !laid) return undefined;
  const opened = await waitingPages(store).findOne(
    { _id, page, 'laid.fence': laid.fence },
    { projection: { 'laid.headers': 1, 'laid.body': 1 } },
  );
  if (!opened?.laid) return undefined;
  const { headers, body } = opened.laid;
  return { headers, body: await unpack(body) };
}

/**
 * Lays a page out, in the place of any other but one of a newer attempt. Packed, since a page of 16 MiB of JSON would not fit
 * into a document: text as random as JSON allows packs to less than nine tenths.
 */
export async function layPage(
  store: Store,
  id: string,
  { page, until, body, ...laid }: LaidPage,
): Promise<void> {
  const packed = await pack(body, { level: constants.Z_BEST_SPEED });
  const { id: marker, epoch } = laid.fence;
  await waitingPages(store).updateOne(
    { _id: id, $nor: [{ 'laid.fence.id': marker, 'laid.fence.epoch': { $gt: epoch } }] },
    { $set: { page, until, laid: { ...laid, body: packed, bytes: body.length + packed.length } } },
  );
}

/** The customer's questions so far, by entity type. */
export async function readAsks(store: Store, channel: string): Promise<Map<EntityType, number>> {
  const found = await waitingPages(store)
    .find({ channel }, { projection: { entity_type: 1, asks: 1 } })
    .toArray();
  return new Map(found.map(({ entity_type, asks }) => [entity_type, asks]));
}

/** A plan that began after so many questions found nothing to send: what waited has been confirmed, or is not shared any more. */
export async function noteNothing(
  store: Store,
  channel: string,
  type: EntityType,
  asks: number,
): Promise<void> {
  const _id = markerId(channel, type);
  // The document may have expired and been made again; and a later question may have got a page while this plan stood still.
  const settled = { _id, asks: { $gte: asks } };
  await waitingPages(store).updateOne(settled, { $max: { settled: asks } });
  await waitingPages(store).updateOne({ ...settled, 'laid.asks': { $lte: asks } }, { $unset: NO_PAGE });
}

/** The update for a confirmed page: it no longer waits, and the confirmation counts as a question for the next one. */
export const endWaiting = (page: string, done: Done) => ({
  $inc: { asks: 1 },
  $set: { done },
  $push: { passed: { $each: [page], $slice: -MOST_PASSED } },
  $unset: NO_PAGE,
});

/** Of a closed channel. */
export async function forgetWaitingPages(
  store: Store,
  channel: string,
  session?: ClientSession,
): Promise<void> {
  await waitingPages(store).deleteMany({ channel }, { ...(session && { session }) });
}

/** Pages that are not given out any more, of these channels. Whoever still confirms one is given it anew. */
export async function forgetOldPages(store: Store, slugs: string[]): Promise<void> {
  const old = { channel: { $in: slugs }, until: { $lte: timeNow() } };
  await waitingPages(store).updateMany(old, { $unset: NO_PAGE });
}
