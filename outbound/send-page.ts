import { timeNow } from '../domain/time/elapsed';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { Agent } from 'undici';
import type { Answer } from '../domain/deliveries/classify-answer';
import type { EntityType } from '../domain/records/entity-types';
import { masked } from '../domain/text/masked';
import { withoutEndSlashes } from '../domain/text/without-end-slashes';
import { postPage } from './post-page';
import { type Signers, signPage, webhookId } from './sign-page';

const pack = promisify(gzip);

/** Where a page comes from, for its headers (docs/contract.md C6). */
export interface Origin {
  requestId: string;
  delivery: string;
  entityType: EntityType;
  generation: number;
  epoch: number;
  account: string | undefined;
  /**
   * The `shares_version`. It gives the page another id after a revoke, so that a late confirmation of an earlier page does not
   * confirm this one, and a customer who has deleted what was on it does not take it for applied.
   */
  shares?: number;
  /** The page only tests the endpoint: it is marked as a test, with an id of its own kind. */
  test?: true;
}

/** The channel whose customer gets a page, with its secrets in the clear. */
export interface Receiver extends Signers {
  /** the slug */
  _id: string;
  base_url: string;
  gzip?: boolean;
  authorization: string | undefined;
  /** Further headers that the customer wants. */
  headers: Record<string, string>;
}

export interface Sending {
  agent: Agent;
  signal: AbortSignal;
  /** Whether the page is still valid, asked before it is repeated. */
  mayRepeat: () => Promise<boolean>;
  /** The page's span, if traces are on. */
  traceparent?: string | undefined;
}

/** The page with the headers that every customer gets, posted or collected. */
export async function signedPage(
  channel: Pick<Receiver, '_id' | 'gzip' | 'signingSecrets' | 'signingKeys'>,
  body: Buffer,
  origin: Origin,
) {
  const { requestId, delivery, entityType, generation, epoch, account, shares, test } = origin;
  const id = test
    ? `test_${randomUUID()}`
    : webhookId(
        { channel: channel._id, entityType, generation, account, ...(shares !== undefined && { shares }) },
        body,
      );
  const sent = channel.gzip ? await pack(body, { level: constants.Z_BEST_SPEED }) : body;
  const headers = {
    'content-type': 'application/json',
    ...(channel.gzip ? { 'content-encoding': 'gzip' } : {}),
    'x-request-id': requestId,
    'x-channel-slug': channel._id,
    'x-entity-type': entityType,
    'x-delivery-id': delivery,
    'x-feed-epoch': String(epoch),
    ...(test && { 'x-gdx-test': 'true' }),
    ...(await signPage(id, sent, channel, timeNow())),
  };
  return { id, headers, body: sent };
}

/** Signs a page for its customer and posts it. The excerpt of the answer never contains our own secrets. */
export async function sendPage(
  { agent, signal, mayRepeat, traceparent }: Sending,
  channel: Receiver,
  page: Buffer,
  origin: Origin,
): Promise<Answer> {
  const { authorization, headers: own, signingSecrets, signingKeys = [] } = channel;
  const signed = await signedPage(channel, page, origin);
  const headers = {
    ...own,
    accept: 'application/json',
    'user-agent': 'grain-data-exchange',
    ...signed.headers,
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(authorization === undefined ? {} : { authorization }),
  };
  const url = `${withoutEndSlashes(channel.base_url)}/feed`;
  const answer = await postPage(agent, { url, headers, body: signed.body }, signal, mayRepeat);
  if (answer.status === null) return answer;
  const secrets = [authorization, ...Object.values(own), ...signingSecrets, ...signingKeys];
  return { ...answer, excerpt: excerpt(answer.excerpt, secrets) };
}

const EXCERPT_BYTES = 512;
const SHORTEST_SECRET = 8;

/**
 * The beginning of a customer's response as operators see it: without our secrets, whole or in part, without phones,
 * and without control characters.
 */
export function excerpt(answer: string, secrets: (string | undefined)[]): string {
  // before the text is cut: half a secret would not be found
  const clean = secrets
    .flatMap((secret) => (secret ? partsOf(secret) : []))
    .reduce((text, part) => text.replaceAll(part, '***'), answer);
  return Buffer.from(masked(clean)).subarray(0, EXCERPT_BYTES).toString('utf8');
}

/** "Bearer abc" may come back as "abc", and Basic credentials as what they encode. */
function partsOf(secret: string): string[] {
  const words = secret.split(/\s+/).filter((word) => word.length >= SHORTEST_SECRET);
  const [, encoded] = /^Basic\s+(\S+)$/i.exec(secret) ?? [];
  const pair = encoded ? Buffer.from(encoded, 'base64').toString('utf8') : '';
  const password = pair.slice(pair.indexOf(':') + 1);
  return [secret, ...words, pair, password].filter((part) => part.length > 0);
}
