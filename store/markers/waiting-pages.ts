import { promisify } from 'node:util';
import { constants, gunzip, gzip } from 'node:zlib';
import type { EntityType } from '../../domain/entity-types';
import type { Store } from '../store';
import { isDuplicateKey } from '../unavailable';
import type { Channel } from '../channels/channels';
import { markerId } from './markers';

/**
 * Per channel and entity type, where the customer collects its pages itself: the page that waits for it, and its
 * questions, by which the worker knows that somebody is there (docs/architecture.md#pull).
 */
export interface WaitingPage {
  /** As the marker's. */
  _id: string;
  channel: string;
  entity_type: EntityType;
  /** Counts the customer's questions and confirmations. */
  asks: number;
  /** The channel's `shares_version` at the last question. */
  asked_version?: number;
  /** Nobody waits for an answer to any of them up to this one: there was nothing to lay out, or nobody confirmed it. */
  settled?: number;
  /** The `webhook-id` of the page. */
  page?: string;
  /** The page is given out until then; afterwards sign it and read the shares again. */
  until?: Date;
  /** As of when it was made. */
  shares_version?: number;
  headers?: Record<string, string>;
  /** Packed. */
  body?: Buffer;
  /** The customer has confirmed the page; the marker may not have moved yet. */
  confirmed?: boolean;
  /** The last pages that the marker has moved past, the newest at the end. */
  passed?: string[];
}

export interface LaidPage extends Required<
  Pick<WaitingPage, 'page' | 'until' | 'shares_version' | 'headers'>
> {
  body: Buffer;
}

const KEPT_S = 3_600;
// A confirmation is repeated after a 503; another client of the channel may have continued concurrently.
const MOST_PASSED = 50;
const NO_PAGE = { page: 1, headers: 1, body: 1, until: 1, confirmed: 1 } as const;

export const waitingPageIndexes = [
  { name: 'channel', key: { channel: 1 } },
  { name: 'until', key: { until: 1 }, expireAfterSeconds: KEPT_S },
];

const pages = (store: Store) => store.db.collection<WaitingPage>('waiting_pages');
const pack = promisify(gzip);
const unpack = promisify(gunzip);

/** Counts a question. @returns what waits, as of now */
export async function askForPage(
  store: Store,
  { _id: channel, shares_version }: Pick<Channel, '_id' | 'shares_version'>,
  type: EntityType,
): Promise<WaitingPage> {
  const _id = markerId(channel, type);
  for (;;) {
    try {
      const asked = await pages(store).findOneAndUpdate(
        { _id },
        {
          $inc: { asks: 1 },
          $set: { asked_version: shares_version },
          $setOnInsert: { channel, entity_type: type },
        },
        { upsert: true, returnDocument: 'after' },
      );
      if (asked) return asked;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error; // two first questions at once
    }
  }
}

export async function readWaitingPage(
  store: Store,
  channel: string,
  type: EntityType,
): Promise<WaitingPage | null> {
  return pages(store).findOne({ _id: markerId(channel, type) });
}

/** The page's headers and bytes, if it may still be given out to this channel. */
export async function openWaitingPage(
  { page, until, shares_version, headers, body, confirmed }: WaitingPage,
  channel: Pick<Channel, 'shares_version'>,
  now: Date,
): Promise<{ headers: Record<string, string>; body: Buffer } | undefined> {
  if (!page || !until || !headers || !body || confirmed) return undefined;
  if (until <= now || shares_version !== channel.shares_version) return undefined;
  return { headers, body: await unpack(bytesOf(body)) };
}

// The driver answers a `Binary`.
const bytesOf = (body: Buffer | { buffer: Uint8Array }): Uint8Array =>
  Buffer.isBuffer(body) ? body : body.buffer;

/** What waits, without the bytes. */
type WaitingState = Pick<WaitingPage, 'asks' | 'asked_version' | 'settled' | 'page' | 'confirmed'>;

export async function readWaitingState(store: Store, id: string): Promise<WaitingState | null> {
  return pages(store).findOne(
    { _id: id },
    { projection: { asks: 1, asked_version: 1, settled: 1, page: 1, confirmed: 1 } },
  );
}

/**
 * Lays a page out, in the place of any other; the marker has moved past `passed`. Packed, since a page of 16 MiB of JSON would not fit into a document:
 * text as random as JSON allows packs to less than nine tenths.
 */
export async function layPage(
  store: Store,
  id: string,
  { body, ...page }: LaidPage,
  passed: string | undefined,
): Promise<void> {
  const packed = await pack(body, { level: constants.Z_BEST_SPEED });
  const laid = { ...page, body: packed, confirmed: false };
  // Whoever holds it from before may have confirmed it concurrently.
  const unconfirmed = { _id: id, $nor: [{ page: page.page, confirmed: true }] };
  const update = passed === undefined ? { $set: laid } : { $set: laid, ...pushPassed(passed) };
  await pages(store).updateOne(unconfirmed, update);
}

const pushPassed = (page: string) => ({ $push: { passed: { $each: [page], $slice: -MOST_PASSED } } });

/** Nobody confirmed it. Deletes the bytes; a customer that holds the page can still confirm it. */
export async function withdrawPage(store: Store, id: string, page: string, asks: number): Promise<void> {
  await pages(store).updateOne(
    { _id: id, page },
    { $max: { settled: asks }, $unset: { headers: 1, body: 1 } },
  );
}

/** The marker has moved past the page. */
export async function clearPage(store: Store, id: string, page: string): Promise<void> {
  await pages(store).updateOne({ _id: id, page }, { ...pushPassed(page), $unset: NO_PAGE });
}

/** The customer's questions so far, by entity type. */
export async function readAsks(store: Store, channel: string): Promise<Map<EntityType, number>> {
  const found = await pages(store)
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
  await pages(store).updateOne(
    { _id: markerId(channel, type), asks: { $gte: asks } }, // it may have been swept and begun again
    { $max: { settled: asks }, $unset: NO_PAGE },
  );
}

/**
 * The customer confirms a page, perhaps again.
 * @returns its entity type, or null when it is not the one that waits, nor one that the marker has passed lately
 */
export async function confirmWaitingPage(
  store: Store,
  channel: string,
  page: string,
): Promise<EntityType | null> {
  const passed = await pages(store).findOne({ channel, passed: page });
  if (passed) return passed.entity_type;
  const waiting = { channel, page };
  const found = await pages(store).findOneAndUpdate(waiting, {
    $set: { confirmed: true },
    $inc: { asks: 1 },
    $unset: { headers: 1, body: 1 }, // nobody gets it any more
  });
  return found && found.entity_type;
}
