import type { CodeSettings } from '../../domain/settings/settings-rules';
import type { Channel } from '../../store/channels/channels';
import type { Context, Deps } from '../http/route';
import type { TextSender } from './sms/text-sender';
import type { FarmerSession, LinkedSession } from '../../store/sessions/farmer-sessions';

/** `ctx.state` of every farmer's step. */
export interface SessionState {
  session: FarmerSession;
  /** The customer whose link opened the visit. Undefined on "who sees my grain data", even after a link. */
  channel: Channel | undefined;
  /** The posted form; empty for a GET. */
  form: URLSearchParams;
  /** The form was posted only to switch the language. */
  switched: boolean;
}

/** `ctx.state` of the steps behind a customer's link. */
export interface FarmerState extends SessionState {
  session: LinkedSession;
  channel: Channel;
}

export type FarmerContext = Context<FarmerState>;
export type SessionContext = Context<SessionState>;

/** The dependencies of the farmer's pages. */
export interface FarmerDeps extends Deps {
  /** Texts codes to farmers. */
  sender: TextSender;
  farmer: FarmerSettings;
}

/** The settings that the farmer's pages need. */
export interface FarmerSettings {
  serviceName: string;
  /** Where farmers reach the service. */
  publicUrl: string;
  /** Whom to tell of a hole; empty: nobody is named. */
  securityContact: string;
  /** Where posts to customers come from; empty: the operator says it. */
  outboundAddresses: readonly string[];
  production: boolean;
  /** The number of proxies in front of the API; rate limits apply to the addresses behind them. */
  trustedProxies: number;
  codes: CodeSettings;
  /** Seconds until the last page continues to the customer by itself; 20 except in tests. */
  goOnAfterS?: number;
}
