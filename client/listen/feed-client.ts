import { type Static, Type } from '@sinclair/typebox';
import { Ajv2020 } from 'ajv/dist/2020';
import { ENTITY_TYPES, type EntityType } from '../../domain/records/entity-types';
import {
  createServiceClient,
  type ServiceAnswer,
  type ServiceClientSettings,
} from '../service/service-client';
import { refusalIn, serviceRefusal } from '../service/service-refusal';

/** A page of the feed as the service answered it. */
export interface CollectedPage {
  /** Its `webhook-id`. */
  id: string;
  entityType: EntityType;
  headers: Record<string, string>;
  body: Buffer;
}

const MARKERS = Type.Object({
  data: Type.Array(Type.Object({ entity_type: Type.Union(ENTITY_TYPES.map((type) => Type.Literal(type))) })),
});
const isMarkers = new Ajv2020().compile<Static<typeof MARKERS>>(MARKERS);

const PAGE = Type.Object({
  data: Type.Array(Type.Unknown()),
  meta: Type.Object({ current_page: Type.Integer(), total_pages: Type.Integer() }),
});
const isPage = new Ajv2020().compile<Static<typeof PAGE>>(PAGE);

const STOPPED = Type.Object({
  data: Type.Array(
    Type.Object({
      account: Type.Object({ id: Type.String() }),
      delete: Type.Boolean(),
      confirmed_at: Type.Union([Type.String(), Type.Null()]),
    }),
  ),
});
const isStopped = new Ajv2020().compile<Static<typeof STOPPED>>(STOPPED);

const SHARED = Type.Object({
  data: Type.Array(Type.Object({ account: Type.Object({ id: Type.String() }) })),
});
const isShared = new Ajv2020().compile<Static<typeof SHARED>>(SHARED);

export type FeedClient = ReturnType<typeof createFeedClient>;

/** The requests of a customer who collects its pages. */
export function createFeedClient(slug: string, settings: ServiceClientSettings) {
  const ask = createServiceClient(settings);
  const feed = `/api/v1/channels/${slug}/feed`;
  return {
    async entityTypes(): Promise<EntityType[]> {
      const answer = await ask(`/api/v1/channels/${slug}/markers`);
      const { status, body } = answer;
      if (status !== 200 || !isMarkers(body)) throw refused(answer);
      return body.data.map(({ entity_type }) => entity_type);
    },
    /** @returns null when there is nothing to send */
    async next(entityType: EntityType): Promise<CollectedPage | null> {
      const answer = await ask(`${feed}?entity_type=${entityType}`);
      if (answer.status === 204) return null;
      const { status, headers, bytes: body } = answer;
      if (status !== 200 || !isPage(answer.body)) throw refused(answer);
      return { id: headers['webhook-id'] ?? '', entityType, headers, body };
    },
    /** @returns false when the page no longer waits, so that another one comes next */
    async confirm({ id }: CollectedPage): Promise<boolean> {
      const answer = await ask(`${feed}/confirm`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ page: id }),
      });
      if (answer.status === 204) return true;
      if (refusalIn(answer.body).code === 'PAGE_NOT_WAITING') return false;
      throw refused(answer);
    },
    /** The accounts of which nothing is to be kept any more, and those that are shared. */
    async stopped(): Promise<{ toDelete: Set<string>; shared: Set<string> }> {
      const subscriptions = `/api/v1/channels/${slug}/subscriptions`;
      const ended = await ask(`${subscriptions}?ended=true`);
      if (ended.status !== 200 || !isStopped(ended.body)) throw refused(ended);
      const asked = ended.body.data.filter((one) => one.delete && one.confirmed_at === null);
      const toDelete = new Set(asked.map(({ account }) => account.id));
      if (toDelete.size === 0) return { toDelete, shared: new Set() };
      const granted = await ask(subscriptions);
      if (granted.status !== 200 || !isShared(granted.body)) throw refused(granted);
      return { toDelete, shared: new Set(granted.body.data.map(({ account }) => account.id)) };
    },
    /** @returns false when the account is shared again, so that its records come again */
    async confirmDeleted(account: string): Promise<boolean> {
      const answer = await ask(`/api/v1/channels/${slug}/deletions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ account }),
      });
      if (answer.status !== 200 && refusalIn(answer.body).code !== 'ACCOUNT_SHARED') throw refused(answer);
      return answer.status === 200;
    },
  };
}

const ADVICE: Record<string, string> = {
  UNAUTHENTICATED: 'check GDX_TOKEN: it is the key of the channel',
  NOT_FOUND: 'check the channel’s slug and the address of the service',
  CHANNEL_PUSHED: 'ask the operator for `gdx channel set --delivery pull`',
  CHANNEL_PAUSED: 'ask the operator why; then start this again',
};

const refused = (answer: ServiceAnswer) => serviceRefusal(answer, ADVICE);
