import type { ParameterizedContext } from 'koa';
import type { Logger } from 'pino';
import type { ChannelClient } from '../temporal/channel-client';
import type { Channel } from '../store/feed/channels';
import type { Store } from '../store/store';
import type { Integration } from '../store/access/integrations';
import type { TextSender } from './farmer/sms/text-sender';
import type { FarmerSettings, FarmerState, SessionState } from './farmer/farmer-state';
import type { OpsSettings } from './ops/ops-settings';
import type { SignedInState, SignInState } from './pages/channel/signed-in-state';

/** The handlers' dependencies, created in `main.ts`. */
export interface Deps {
  store: Store;
  temporal: ChannelClient;
  log: Logger;
  serving: Serving;
  /** Texts codes to farmers. */
  sender: TextSender;
  farmer: FarmerSettings;
  ops: OpsSettings;
}

/** The phase of the process. A push before the store is prepared would miss its counters. */
export interface Serving {
  phase: 'starting' | 'serving' | 'draining';
}

export interface RequestState {
  requestId: string;
  /** Additional fields of the request's log line: counts and ids, never content. */
  logged: Record<string, unknown>;
  /** Settles when the handler has ended, which may be after the response. */
  ended?: Promise<unknown>;
}

type Context<State> = ParameterizedContext<RequestState & State, { params: Record<string, string> }>;

export type OpenContext = Context<object>;
export type IntegrationContext = Context<{ integration: Integration; body: Buffer }>;
export type ChannelContext = Context<{ channel: Channel; body: Buffer }>;
export type FarmerContext = Context<FarmerState>;
export type SessionContext = Context<SessionState>;
export type SignInContext = Context<SignInState>;
export type SignedInContext = Context<SignedInState>;

export type Handler<C> = (ctx: C, deps: Deps) => void | Promise<void>;

/** One row of the route table. Without `maxBodyBytes` the body is not read. */
export type Route = {
  method: 'GET' | 'POST';
  path: string;
  maxBodyBytes?: number;
  /** The JSON that an empty body stands for. Without it, an empty body is malformed. */
  emptyBody?: string;
  /** For a form that may be larger than typed input. */
  maxFormBytes?: number;
} & (
  | { caller: 'anyone'; handle: Handler<OpenContext> }
  | { caller: 'integration'; handle: Handler<IntegrationContext> }
  | { caller: 'channel'; handle: Handler<ChannelContext> }
  // A farmer's browser, first with the link, then with the session that the link opened. Responses are pages.
  | { caller: 'visitor'; handle: Handler<OpenContext> }
  | { caller: 'farmer'; handle: Handler<FarmerContext> }
  // The same with any farmer's session, with a link or without.
  | { caller: 'sharer'; handle: Handler<SessionContext> }
  // An operator's browser, first on the sign-in page, then with a session. Responses are pages.
  | { caller: 'signing-in'; handle: Handler<SignInContext> }
  | { caller: 'operator'; handle: Handler<SignedInContext> }
  // A customer's browser, the same by its channel's key, to that channel alone.
  | { caller: 'customer-signing-in'; handle: Handler<SignInContext> }
  | { caller: 'customer'; handle: Handler<SignedInContext> }
);

export type Caller = Route['caller'];
