import type { ParameterizedContext } from 'koa';
import type { Logger } from 'pino';
import type { Bell } from '../bell/bell';
import type { Channel } from '../store/channels';
import type { Store } from '../store/connect';
import type { Integration } from '../store/integrations';
import type { TextSender } from './farmer/sms/text-sender';
import type { FarmerSettings, Visit } from './farmer/visit';
import type { OperatorVisit, OpsSettings, SigningIn } from './ops/visit';
import type { Serving } from './serving';

/** What the handlers work with; made in the process's `main.ts`. */
export interface Deps {
  store: Store;
  bell: Bell;
  log: Logger;
  serving: Serving;
  /** Who texts farmers their codes. */
  sender: TextSender;
  farmer: FarmerSettings;
  ops: OpsSettings;
}

export interface RequestState {
  requestId: string;
  /** What the request's log line says besides the usual: counts and ids, never content. */
  logged: Record<string, unknown>;
  /** When the handler has ended, which may be after its answer. */
  ended?: Promise<unknown>;
}

type Context<State> = ParameterizedContext<RequestState & State, { params: Record<string, string> }>;

export type OpenContext = Context<object>;
export type IntegrationContext = Context<{ integration: Integration; body: Buffer }>;
export type ChannelContext = Context<{ channel: Channel; body: Buffer }>;
export type FarmerContext = Context<Visit>;
export type SignInContext = Context<SigningIn>;
export type OperatorContext = Context<OperatorVisit>;

export type Handler<C> = (ctx: C, deps: Deps) => void | Promise<void>;

/** One row of the table: what may be asked, by whom, and how large a body it takes (none: the body is not read). */
export type Route = {
  method: 'GET' | 'POST';
  path: string;
  maxBodyBytes?: number;
  /** Of a page's form that may be larger than what somebody types. */
  maxFormBytes?: number;
} & (
  | { caller: 'anyone'; handle: Handler<OpenContext> }
  | { caller: 'integration'; handle: Handler<IntegrationContext> }
  | { caller: 'channel'; handle: Handler<ChannelContext> }
  // A farmer's browser: with the link he was given, then with the session that it opened. He gets pages, not JSON.
  | { caller: 'visitor'; handle: Handler<OpenContext> }
  | { caller: 'farmer'; handle: Handler<FarmerContext> }
  // An operator's browser: on the page that asks for his token, then with a session. He gets pages, not JSON.
  | { caller: 'signing-in'; handle: Handler<SignInContext> }
  | { caller: 'operator'; handle: Handler<OperatorContext> }
);

export type Caller = Route['caller'];
