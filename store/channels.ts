import type { ClientSession } from 'mongodb';
import { randomBytes } from 'node:crypto';
import type { Scope } from '../domain/channel';
import type { EntityType } from '../domain/entity-types';
import type { Store } from './connect';
import { seal, unseal } from './seal';
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
  callback_origins: string[];
  /** Whom a farmer can call: shown where a link is broken. */
  contact?: string;
  state: 'active' | 'paused';
  paused?: { reason: string; at: Date };
  /** The value of the `Authorization` header sent to the customer, sealed. */
  authorization?: Buffer;
  /** Newest first; an older one is sent along until it expires. */
  signing_secrets: { sealed: Buffer; expires_at?: Date }[];
  api_key_hashes: string[];
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
>;

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
  // Standard Webhooks 1.0.0: 24 to 64 random bytes.
  const signingSecret = `whsec_${randomBytes(32).toString('base64')}`;
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
  return channels(store).findOne({ api_key_hashes: hashToken(apiKey) });
}

export async function listChannels(store: Store): Promise<Channel[]> {
  return channels(store).find().sort({ _id: 1 }).toArray();
}

/** @returns the channel as it is now, or null when there is none of that slug. */
export async function pauseChannel(store: Store, slug: string, reason: string): Promise<Channel | null> {
  return channels(store).findOneAndUpdate(
    { _id: slug },
    { $set: { state: 'paused', paused: { reason, at: new Date() } } },
    { returnDocument: 'after' },
  );
}

export async function resumeChannel(store: Store, slug: string): Promise<Channel | null> {
  return channels(store).findOneAndUpdate(
    { _id: slug },
    { $set: { state: 'active' }, $unset: { paused: 1, not_before: 1 } },
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

/** Lets every attempt know that what is shared has changed (commit-order, sharing). @returns the new version */
export async function bumpSharesVersion(store: Store, slug: string): Promise<number> {
  const channel = await channels(store).findOneAndUpdate(
    { _id: slug },
    { $inc: { shares_version: 1 } },
    { returnDocument: 'after' },
  );
  return channel?.shares_version ?? 0;
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
