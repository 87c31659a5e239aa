import type { ClientSession } from 'mongodb';
import type { Scope } from '../domain/channel';
import type { EntityType } from '../domain/entity-types';
import type { Trouble } from '../domain/judge-trouble';
import { masked } from '../domain/masked';
import type { Store } from './connect';
import { isLive } from './live-tokens';
import { seal, unseal } from './seal';
import { newSigningSecret } from './signing-secrets';
import { hashToken, isTokenShaped, newToken } from './tokens';
import { isDuplicateKey } from './unavailable';

/** One customer's feed. */
export interface Channel {
  /** the slug */
  _id: string;
  name: string;
  base_url: string;
  scope: Scope;
  entity_types: EntityType[];
  /** Company ids; none means every company (contract 8). */
  companies: string[];
  cadence_ms: number;
  page_size: number;
  /** What its customer was found to take at once, by its 413s. */
  page_limit?: { records: number; at: Date };
  callback_origins: string[];
  /** Pages are packed (delivery, "Connecting"). */
  gzip?: boolean;
  /** Whom a farmer can call: shown where a link is broken. */
  contact?: string;
  state: 'active' | 'paused';
  paused?: { reason: string; at: Date };
  /** What has failed since anything was confirmed; it may end in a pause. */
  failing?: Trouble;
  /** The last empty run or end of a delivery that confirmed something; pages in between count by their markers. */
  fresh_at?: Date;
  /** The value of the `Authorization` header sent to the customer, sealed. */
  authorization?: Buffer;
  /** Newest first; an older one is sent along until it expires. */
  signing_secrets: { sealed: Buffer; expires_at?: Date }[];
  /** Newest first. */
  api_key_hashes: string[];
  old_api_key_ends_at?: Date | null;
  /** How many runs had something to send; numbers the deliveries. */
  run: number;
  /** Moves with every grant and revoke (commit-order, sharing). */
  shares_version: number;
  /** A Retry-After that reaches beyond the delivery it came in (design 4). */
  not_before?: Date;
  created_at: Date;
}

export type ChannelSettings = Pick<
  Channel,
  | 'name'
  | 'base_url'
  | 'scope'
  | 'entity_types'
  | 'companies'
  | 'cadence_ms'
  | 'page_size'
  | 'callback_origins'
> &
  Pick<Channel, 'gzip'>;

/** The slug is taken; the caller picks another one or changes the channel that has it. */
export class ChannelExists extends Error {
  override name = 'ChannelExists';
}

const channels = (store: Store) => store.db.collection<Channel>('channels');

export const channelIndexes = [{ name: 'api_key', key: { api_key_hashes: 1 }, unique: true }];

/**
 * @returns the channel's API key and signing secret, both shown this once
 * @throws ChannelExists
 */
export async function addChannel(
  store: Store,
  slug: string,
  settings: ChannelSettings & { authorization?: string },
): Promise<{ channel: Channel; apiKey: string; signingSecret: string }> {
  const { authorization, ...rest } = settings;
  const apiKey = newToken('channel');
  const signingSecret = newSigningSecret();
  const channel: Channel = {
    _id: slug,
    ...rest,
    state: 'active',
    signing_secrets: [{ sealed: seal(store, slug, signingSecret) }],
    api_key_hashes: [hashToken(apiKey)],
    run: 0,
    shares_version: 0,
    created_at: new Date(),
    ...(authorization === undefined ? {} : { authorization: seal(store, slug, authorization) }),
  };
  try {
    await channels(store).insertOne(channel);
  } catch (error) {
    throw isDuplicateKey(error) ? new ChannelExists(`channel ${slug} exists already`) : error;
  }
  return { channel, apiKey, signingSecret };
}

export async function findChannel(
  store: Store,
  slug: string,
  session?: ClientSession,
): Promise<Channel | null> {
  return channels(store).findOne({ _id: slug }, session ? { session } : {});
}

export async function findChannelByKey(store: Store, apiKey: string): Promise<Channel | null> {
  if (!isTokenShaped(apiKey, 'channel')) return null;
  const hash = hashToken(apiKey);
  const channel = await channels(store).findOne({ api_key_hashes: hash });
  const ends_at = channel?.old_api_key_ends_at ?? undefined;
  return channel && isLive({ hashes: channel.api_key_hashes, ends_at }, hash) ? channel : null;
}

export async function listChannels(store: Store): Promise<Channel[]> {
  return channels(store).find().sort({ _id: 1 }).toArray();
}

/** @returns the channel as it is now, or null when there is none of that slug. */
/** The reason is shown in Temporal, which keeps no phone. */
export async function pauseChannel(store: Store, slug: string, reason: string): Promise<Channel | null> {
  return channels(store).findOneAndUpdate(
    { _id: slug },
    { $set: { state: 'paused', paused: { reason: masked(reason), at: new Date() } } },
    { returnDocument: 'after' },
  );
}

/** Clears the channel's trouble too: what fails again is counted from now on. */
export async function resumeChannel(store: Store, slug: string): Promise<Channel | null> {
  return channels(store).findOneAndUpdate(
    { _id: slug },
    {
      $set: { state: 'active', fresh_at: new Date() },
      $unset: { paused: 1, not_before: 1, failing: 1 },
    },
    { returnDocument: 'after' },
  );
}

/** The number of the run about to start. */
export async function takeRun(store: Store, slug: string): Promise<number> {
  const channel = await channels(store).findOneAndUpdate(
    { _id: slug },
    { $inc: { run: 1 }, $unset: { not_before: 1 } },
    { returnDocument: 'after' },
  );
  return channel?.run ?? 0;
}

export async function setNotBefore(store: Store, slug: string, notBefore: Date): Promise<void> {
  await channels(store).updateOne({ _id: slug }, { $set: { not_before: notBefore } });
}

const DOUBLES_EVERY_MS = 6 * 3_600_000;

/** How many records a page takes now: a size learnt from a 413 doubles every six hours, to be tried again. */
export function pageSizeOf({ page_size, page_limit }: Channel, now: number): number {
  if (!page_limit) return page_size;
  const doublings = Math.floor((now - page_limit.at.getTime()) / DOUBLES_EVERY_MS);
  return Math.min(page_size, page_limit.records * 2 ** Math.max(0, doublings));
}

/** The customer answered 413 to twice as many (delivery, "Answers"). */
export async function limitPageSize(store: Store, slug: string, records: number): Promise<void> {
  await channels(store).updateOne({ _id: slug }, { $set: { page_limit: { records, at: new Date() } } });
}

/** Lets every attempt know that so many accounts' sharing has changed (commit-order). @returns what holds from then on */
export async function bumpSharesVersion(
  store: Store,
  slug: string,
  by: number,
  session: ClientSession,
): Promise<Pick<Channel, 'shares_version' | 'entity_types'>> {
  const channel = await channels(store).findOneAndUpdate(
    { _id: slug },
    { $inc: { shares_version: by } },
    { returnDocument: 'after', session },
  );
  return channel ?? { shares_version: 0, entity_types: [] };
}

/** What goes with every page: never stored in the clear, never in Temporal (delivery, signing). */
export function openSecrets(
  store: Store,
  channel: Channel,
  now: Date,
): { authorization: string | undefined; signingSecrets: string[] } {
  const live = channel.signing_secrets.filter(({ expires_at }) => !expires_at || expires_at > now);
  return {
    authorization: channel.authorization && unseal(store, channel._id, channel.authorization),
    signingSecrets: live.map(({ sealed }) => unseal(store, channel._id, sealed)),
  };
}
