import type { ParameterizedContext } from 'koa';
import type { Logger } from 'pino';
import type { ChannelClient } from '../../temporal/channel-client';
import type { Channel } from '../../store/channels/channels';
import type { Store } from '../../store/store';
import type { Integration } from '../../store/callers/integrations';

/** What every handler may use, created in `main.ts`. Pages need more: `FarmerDeps`, `PageDeps`. */
export interface Deps {
  store: Store;
  temporal: ChannelClient;
  log: Logger;
  serving: Serving;
}

/** The phase of the process. A push before the store is prepared would miss its counters. */
export interface Serving {
  phase: 'starting' | 'serving' | 'draining';
}

export interface RequestState {
  requestId: string;
  /** The `traceparent` of its span, if tracing is on. */
  traceparent?: string;
  /** Additional fields of the request's log line: counts and ids, never content. */
  logged: Record<string, unknown>;
  /** Why it failed, for the log: a defect, or a dependency that is away. */
  failed?: unknown;
  /** The words that the form before has left for this page. */
  said?: string[];
  /** Counts the request as at least so many of its caller's minute. @throws HttpError RATE_LIMITED */
  charge?: (weighs: number) => Promise<void> | undefined;
  /** Looks the caller's token up, and refreshes who called. @throws HttpError UNAUTHENTICATED, RATE_LIMITED */
  authenticate?: () => Promise<void> | undefined;
  /** What to give back once the request is read, its answer sent or its caller gone, and its handler has ended. */
  held?: (() => void)[];
  /** Settles when the handler has ended, which may be after the response. */
  ended?: Promise<unknown>;
}

/** Koa's context of one kind of caller. */
export type Context<State> = ParameterizedContext<RequestState & State, { params: Record<string, string> }>;

export type OpenContext = Context<object>;
export type IntegrationContext = Context<{ integration: Integration; body: Buffer }>;
export type ChannelContext = Context<{ channel: Channel; body: Buffer }>;

/** So many bytes, unpacked, cost as much time as an ordinary request, whatever is found in them. */
export const BYTES_OF_REQUEST = 64 * 1024;
/** So many entries of a list cost as much time as an ordinary request. */
export const ENTRIES_OF_REQUEST = 250;

/** Where the routes of a channel begin. */
export const CHANNEL = '/api/v1/channels/:channel_slug';

/** Who may call a route. The pages of farmers, operators and customers have a kind for those who have no session yet. */
export type Caller =
  | 'anyone'
  | 'integration'
  | 'channel'
  | 'visitor'
  | 'farmer'
  | 'sharer'
  | 'signing-in'
  | 'operator'
  | 'customer-signing-in'
  | 'customer';

/** The properties of a route that its checks use. Without `maxBodyBytes` the body is not read. */
export interface RouteTraits {
  method: 'GET' | 'POST';
  path: string;
  caller: Caller;
  maxBodyBytes?: number;
  /** The JSON that an empty body stands for. Without it, an empty body is malformed. */
  emptyBody?: string;
  /** The parameters of its query. A route for a token refuses every other; pages pass them over, as mail programs add some. */
  query?: readonly string[];
  /** As how many requests one counts in its caller's minute, as it costs as much; 1 where it is not given. */
  weight?: number;
  /** For a form that may be larger than typed input. */
  maxFormBytes?: number;
}
