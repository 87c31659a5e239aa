import { randomUUID } from 'node:crypto';
import type { Agent } from 'undici';
import type { Answer } from '../../domain/classify-answer';
import type { EntityType } from '../../domain/entity-types';
import { type Channel, openSecrets } from '../../store/channels';
import type { Store } from '../../store/connect';
import { postPage } from './post-page';
import { signPage, webhookId } from './sign-page';

/** Where a page comes from, for its headers (contract 3). */
export interface Origin {
  delivery: string;
  entityType: EntityType;
  generation: number;
  epoch: number;
  account: string | undefined;
}

/** Signs a page for its customer and posts it. Our own secrets never come back in the answer's excerpt. */
export async function sendPage(
  { store, agent, signal }: { store: Store; agent: Agent; signal: AbortSignal },
  channel: Channel,
  body: Buffer,
  origin: Origin,
): Promise<Answer> {
  const now = new Date();
  const { authorization, signingSecrets } = openSecrets(store, channel, now);
  const { delivery, entityType, generation, epoch, account } = origin;
  const id = webhookId({ channel: channel._id, entityType, generation, account }, body);
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'grain-data-exchange',
    'x-request-id': randomUUID(),
    'x-channel-slug': channel._id,
    'x-entity-type': entityType,
    'x-delivery-id': delivery,
    'x-feed-epoch': String(epoch),
    ...signPage(id, body, signingSecrets, now),
    ...(authorization === undefined ? {} : { authorization }),
  };
  const url = `${channel.base_url.replace(/\/+$/, '')}/feed`;
  const answer = await postPage(agent, { url, headers, body }, signal);
  if (answer.status === null) return answer;
  return { ...answer, excerpt: without([authorization, ...signingSecrets], answer.excerpt) };
}

function without(secrets: (string | undefined)[], text: string): string {
  return secrets.reduce<string>((clean, secret) => (secret ? clean.replaceAll(secret, '***') : clean), text);
}
