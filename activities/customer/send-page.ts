import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { Agent } from 'undici';
import type { Answer } from '../../domain/classify-answer';
import type { EntityType } from '../../domain/entity-types';
import { type Channel, openSecrets } from '../../store/channels';
import type { Store } from '../../store/connect';
import { excerpt } from './excerpt';
import { postPage } from './post-page';
import { signPage, webhookId } from './sign-page';

const pack = promisify(gzip);

/** Where a page comes from, for its headers (contract 3). */
export interface Origin {
  requestId: string;
  delivery: string;
  entityType: EntityType;
  generation: number;
  epoch: number;
  account: string | undefined;
  /** Sent by an operator to try the customer's endpoint: marked as a test, with an id of its own kind. */
  test?: true;
}

/** What a page is sent with. */
export interface Sending {
  store: Store;
  agent: Agent;
  signal: AbortSignal;
  /** Whether what the page was made from still holds, should it have to go out once more. */
  mayRepeat: () => Promise<boolean>;
}

/** Signs a page for its customer and posts it. Our own secrets never come back in the answer's excerpt. */
export async function sendPage(
  { store, agent, signal, mayRepeat }: Sending,
  channel: Channel,
  body: Buffer,
  origin: Origin,
): Promise<Answer> {
  const now = new Date();
  const { authorization, signingSecrets } = openSecrets(store, channel, now);
  const { requestId, delivery, entityType, generation, epoch, account, test } = origin;
  const id = test
    ? `test_${randomUUID()}`
    : webhookId({ channel: channel._id, entityType, generation, account }, body);
  const sent = channel.gzip ? await pack(body, { level: constants.Z_BEST_SPEED }) : body;
  const headers = {
    accept: 'application/json',
    'content-type': 'application/json',
    ...(channel.gzip ? { 'content-encoding': 'gzip' } : {}),
    // nothing is unpacked here
    'accept-encoding': 'identity',
    'user-agent': 'grain-data-exchange',
    'x-request-id': requestId,
    'x-channel-slug': channel._id,
    'x-entity-type': entityType,
    'x-delivery-id': delivery,
    'x-feed-epoch': String(epoch),
    ...(test && { 'x-gdx-test': 'true' }),
    ...signPage(id, sent, signingSecrets, now),
    ...(authorization === undefined ? {} : { authorization }),
  };
  const url = `${channel.base_url.replace(/\/+$/, '')}/feed`;
  const answer = await postPage(agent, { url, headers, body: sent }, signal, mayRepeat);
  if (answer.status === null) return answer;
  return { ...answer, excerpt: excerpt(answer.excerpt, [authorization, ...signingSecrets]) };
}
