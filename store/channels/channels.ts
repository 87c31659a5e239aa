import { timeIn, timeNow } from '../../domain/time/elapsed';
import type { ClientSession } from 'mongodb';
import type { Access } from '../../domain/settings/access';
import { nextDue } from '../../domain/deliveries/cadence';
import type { Scope } from '../../domain/settings/channel';
import type { EntityType } from '../../domain/records/entity-types';
import type { Passed } from '../../domain/records/erp-word';
import type { Language } from '../../domain/text/language';
import type { FailureStreak } from '../../domain/deliveries/alert-class';
import { formatInstant } from '../../domain/time/instants';
import { YEAR_MS } from '../../domain/time/spans';
import { masked } from '../../domain/text/masked';
import { TokenHolders } from '../callers/token-holders';
import { hashToken, newToken } from '../callers/tokens';
import type { Store } from '../store';
import { isDuplicateKey } from '../unavailable';
import { channelOwner, openForChannel } from '../secrets/channel-seal';
import { newSigning, sealSent, type SentSecrets, type Signing } from './sent-secrets';

/** What a channel is added with. */
export interface ChannelSettings {
  name: string;
  /** The customer collects its pages itself; otherwise they are posted. */
  delivery?: 'pull' | 'push';
  /** Empty where pages are not posted. */
  base_url: string;
  scope: Scope;
  entity_types: EntityType[];
  /** Company ids; none means every company (docs/contract.md C19). */
  companies: string[];
  cadence_ms: number;
  page_size: number;
  callback_origins: string[];
  /** Pages are sent gzipped. */
  gzip?: boolean;
  /** What the customer says that it gets farmers' records for, as they read it. */
  purpose?: Purpose;
  /** To whom the customer says that it may pass them on. Empty: nobody; missing: it has not said. */
  passes_on?: string[];
}

/** One customer's feed. */
export interface Channel extends ChannelSettings {
  /** the slug */
  _id: string;
  /** Where the customer wants to be told what happens to its channel; empty or missing: nowhere. */
  notify_url?: string;
  /** The page sizes learnt from 413 responses or from pages that were cut off. */
  page_limits?: Partial<Record<EntityType, PageLimit>>;
  /** Of all types, as earlier releases learnt it. */
  page_limit?: PageLimit;
  /** Farmers have to choose an end of what they grant. */
  end_required?: boolean;
  /** A contact for farmers, shown when a link is broken. */
  contact?: string;
  /** A closed channel stays, so that its slug is never given out again. */
  state: 'active' | 'paused' | 'closed';
  paused?: { reason: string; at: Date };
  /** `forgotten_at`: when everything else that was kept for it had been removed. */
  closed?: { reason: string; at: Date; forgotten_at?: Date };
  resumed_at?: Date;
  /** The failures since the last confirmed page or empty run; they may end in a pause. */
  failing?: FailureStreak;
  /** How many ends of deliveries were judged. */
  ends_judged?: number;
  /** When a run last found nothing, a delivery with a confirmed page last ended, or the channel was resumed. */
  fresh_at?: Date;
  /**
   * Its companies are complete up to `at`, when its markers had passed these positions, but those of which something waited up to an earlier
   * time (docs/contract.md C31).
   */
  complete?: {
    at: Date;
    passed?: Passed;
    but: { company: string; through: Date | null; passed?: Passed | undefined }[];
  };
  /** The value of the `Authorization` header sent to the customer, sealed. */
  authorization?: Buffer;
  /** Other headers that the customer wants with every page; their values are sealed. */
  headers?: { name: string; sealed: Buffer }[];
  /** Newest first; pages carry signatures of both until the older one expires. */
  signing_secrets: Signing[];
  /** The public keys of all but the newest, newest first: they stay, so that a page that was kept can be checked. */
  past_keys?: SigningKey[];
  /** Newest first. */
  api_key_hashes: string[];
  old_api_key_ends_at?: Date | null;
  key_access?: Access;
  /** The number of runs with something to send; part of the ids of deliveries. */
  run: number;
  /** Rises with every transaction on what is shared with the channel (docs/architecture.md#sharing), with another signing secret, and where what no page has confirmed is asked for again. */
  shares_version: number;
  /** When the head of its ledger was last posted, and the `shares_version` before that. */
  head_posted?: { shares_version: number; at: Date };
  /** What changed before is not sent by itself, of types that are added later as well. Missing: the scope says it. */
  since?: Date;
  created_at: Date;
}

/** `cut_off`: some longer page was cut off. */
interface PageLimit {
  records: number;
  at: Date;
  cut_off?: true;
}

export type Purpose = Record<Language, string>;

/** The slug is taken. */
export class ChannelExists extends Error {
  override name = 'ChannelExists';
}

export const channels = (store: Store) => store.db.collection<Channel>('channels');

export const channelIndexes = [{ name: 'api_key', key: { api_key_hashes: 1 }, unique: true }];

/**
 * @returns the channel's API key and signing secret, both shown only now, and the public key of its pair
 * @throws ChannelExists
 */
export async function addChannel(
  store: Store,
  slug: string,
  settings: ChannelSettings & SentSecrets & Pick<Channel, 'since'>,
  session?: ClientSession,
): Promise<{ channel: Channel; apiKey: string; signingSecret: string; publicKey: string }> {
  const { authorization: _, headers: __, ...rest } = settings;
  const apiKey = newToken('channel', store);
  const owner = channelOwner({ _id: slug, base_url: settings.base_url });
  const { signing, signingSecret, publicKey } = await newSigning(store, owner);
  const channel: Channel = {
    _id: slug,
    ...rest,
    state: 'active',
    signing_secrets: [{ ...signing, from: timeNow() }],
    api_key_hashes: [hashToken(apiKey)],
    run: 0,
    shares_version: 0,
    created_at: timeNow(),
    ...(await sealSent(store, owner, settings)),
  };
  try {
    await channels(store).insertOne(channel, { ...(session && { session }) });
  } catch (error) {
    throw isDuplicateKey(error) ? new ChannelExists(`channel ${slug} exists already`) : error;
  }
  return { channel, apiKey, signingSecret, publicKey };
}

/** Closed channels are passed over here, and in each list and each change: to everybody else they are gone. */
export const NOT_CLOSED = { state: { $ne: 'closed' } } as const;

export const channelKeys = new TokenHolders(
  'channel',
  channels,
  { hashes: 'api_key_hashes', ends_at: 'old_api_key_ends_at' },
  NOT_CLOSED,
);

export async function findChannel(
  store: Store,
  slug: string,
  session?: ClientSession,
): Promise<Channel | null> {
  return channels(store).findOne({ _id: slug, ...NOT_CLOSED }, session ? { session } : {});
}

/** For what is still to be done of a closed channel, and for whoever is told that it has closed. */
export async function findEvenClosed(store: Store, slug: string): Promise<Channel | null> {
  return channels(store).findOne({ _id: slug });
}

/** Closed channels; with `isLeft` those of which something is still to be ended or forgotten. */
export async function listClosed(store: Store, { isLeft = false } = {}): Promise<Channel[]> {
  const left = isLeft ? { 'closed.forgotten_at': { $exists: false } } : {};
  return channels(store)
    .find({ state: 'closed', ...left })
    .sort({ _id: 1 })
    .toArray();
}

export async function listChannels(store: Store): Promise<Channel[]> {
  return channels(store).find(NOT_CLOSED).sort({ _id: 1 }).toArray();
}

/** Whether it has to do with a company's records. */
export const carriesCompany = ({ companies }: Pick<Channel, 'companies'>, company: string) =>
  companies.length === 0 || companies.includes(company);

/**
 * These channels, even closed ones, and those that get every record of their companies without a farmer's grant, or did within a
 * year.
 */
export async function listRecipients(store: Store, slugs: string[]): Promise<Channel[]> {
  const lately = { scope: 'all', 'closed.at': { $gt: timeIn(-YEAR_MS) } } as const;
  return channels(store)
    .find({ $or: [{ _id: { $in: slugs } }, { scope: 'all', ...NOT_CLOSED }, lately] })
    .toArray();
}

/** All channels by slug, in pages, for work that is repeated on every channel. */
export async function* channelPages(store: Store, size = 500): AsyncGenerator<Channel[]> {
  for (let after = ''; ;) {
    const page = await channels(store)
      .find({ _id: { $gt: after }, ...NOT_CLOSED })
      .sort({ _id: 1 })
      .limit(size)
      .toArray();
    if (page.length > 0) yield page;
    if (page.length < size) return;
    after = page.at(-1)!._id;
  }
}

/** A filter for the slugs from the first to the last of these channels. */
export const slugRange = (some: Pick<Channel, '_id'>[]) => {
  const slugs = some.map(({ _id }) => _id).sort();
  return { $gte: slugs[0] ?? '', $lte: slugs.at(-1) ?? '' };
};

/**
 * The reason is shown in Temporal, so phones in it are masked. @returns the channel as it was before, or null when there
 * is none
 */
export async function pauseChannel(store: Store, slug: string, reason: string): Promise<Channel | null> {
  return channels(store).findOneAndUpdate(
    { _id: slug, ...NOT_CLOSED },
    { $set: { state: 'paused', paused: { reason: masked(reason), at: timeNow() } } },
    { returnDocument: 'before' },
  );
}

/** Ends the failure streak too. @returns the channel as it was before, or null when there is none */
export async function resumeChannel(store: Store, slug: string): Promise<Channel | null> {
  return channels(store).findOneAndUpdate(
    { _id: slug, ...NOT_CLOSED },
    {
      $set: { state: 'active', fresh_at: timeNow(), resumed_at: timeNow() },
      $unset: { paused: 1, failing: 1 },
    },
    { returnDocument: 'before' },
  );
}

export async function takeRun(store: Store, slug: string): Promise<number> {
  const channel = await channels(store).findOneAndUpdate(
    { _id: slug },
    { $inc: { run: 1 } },
    { returnDocument: 'after' },
  );
  return channel?.run ?? 0;
}

const DOUBLES_EVERY_MS = 6 * 3_600_000;

/** What was last learnt of the pages of an entity type. */
export const pageLimitOf = ({ page_limits, page_limit }: Channel, type: EntityType) =>
  page_limits?.[type] ?? page_limit;

/** The current page size of an entity type: one that was learnt doubles every six hours, to be tried again. */
export function pageSizeOf(channel: Channel, type: EntityType, now: number): number {
  const { page_size } = channel;
  const limit = pageLimitOf(channel, type);
  if (!limit) return page_size;
  const doublings = Math.floor((now - limit.at.getTime()) / DOUBLES_EVERY_MS);
  return Math.min(page_size, limit.records * 2 ** Math.max(0, doublings));
}

/** The smallest of its entity types. */
export const leastPageSize = (channel: Channel, now: number): number =>
  Math.min(...channel.entity_types.map((type) => pageSizeOf(channel, type, now)));

/** Stores the page size after twice as many records were too large, or cut off (docs/decisions/0011). */
export async function limitPageSize(
  store: Store,
  slug: string,
  type: EntityType,
  records: number,
  { cutOff = false } = {},
): Promise<void> {
  const limit = `page_limits.${type}` as const;
  const learnt = { [`${limit}.records`]: records, [`${limit}.at`]: timeNow() };
  await channels(store).updateOne(
    { _id: slug },
    { $set: { ...learnt, ...(cutOff && { [`${limit}.cut_off`]: true }) } },
  );
}

/** The secrets that every page is sent with: never stored in the clear, never in Temporal (docs/decisions/0004). */
interface ChannelSecrets {
  authorization: string | undefined;
  headers: Record<string, string>;
  /** `whsec_`, each signs as `v1`. */
  signingSecrets: string[];
  /** `whsk_`, each signs as `v1a`. */
  signingKeys: string[];
}

/** @throws CustomerKeyMissing in any process but the worker and a `gdx` that was given its key; SealUnfit */
export async function openSecrets(store: Store, channel: Channel, now: Date): Promise<ChannelSecrets> {
  const live = liveSigning(channel, now);
  const open = (sealed: Buffer) => openForChannel(store, channel, sealed);
  return {
    authorization: channel.authorization && (await open(channel.authorization)),
    headers: Object.fromEntries(
      await Promise.all(
        (channel.headers ?? []).map(async ({ name, sealed }) => [name, await open(sealed)] as const),
      ),
    ),
    signingSecrets: await Promise.all(live.map(({ sealed }) => open(sealed))),
    signingKeys: await Promise.all(live.map(({ pair }) => open(pair.sealed))),
  };
}

/** What pages are signed with now, newest first. */
/** A public key, and the time in which pages are signed for it. */
interface SigningKey {
  public_key: string;
  from: Date | null;
  until: Date | null;
}

/** All public keys that a channel has ever had, newest first; those that had expired before this was kept are missing. */
export function listPublicKeys({ signing_secrets, past_keys }: Channel): SigningKey[] {
  const live = signing_secrets.slice(0, past_keys ? 1 : undefined).map(({ pair, from, expires_at }) => ({
    ...{ public_key: pair.public_key, from: from ?? null, until: expires_at ?? null },
  }));
  return [...live, ...(past_keys ?? [])];
}

/** A page that was kept is checked by the key of its `webhook-timestamp`. */
export const sayPublicKeys = (channel: Channel): string[] =>
  listPublicKeys(channel).map(({ public_key, from, until }) => {
    const since = from ? `from ${formatInstant(from)} ` : '';
    return `${public_key} (${since}${until ? `until ${formatInstant(until)}` : 'current'})`;
  });

/** The same once the newest signs until then, and none for longer. */
export const keysUntil = (channel: Channel, end: Date): SigningKey[] =>
  listPublicKeys(channel).map((key) => ({ ...key, until: key.until && key.until < end ? key.until : end }));

export const liveSigning = ({ signing_secrets }: Channel, now: Date) =>
  signing_secrets.filter(({ expires_at }) => !expires_at || expires_at > now);

/** When a channel is due next; null while it is paused, and once it is closed. */
export function dueAt(channel: Channel, now: number): Date | null {
  return channel.state === 'active' ? new Date(nextDue(channel._id, channel.cadence_ms, now)) : null;
}
