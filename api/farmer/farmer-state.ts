import type { CodeSettings } from '../../domain/settings-rules';
import type { Channel } from '../../store/feed/channels';
import type { FarmerSession } from '../../store/access/farmer-sessions';

/** `ctx.state` of the farmer's steps. */
export interface FarmerState {
  session: FarmerSession;
  channel: Channel;
  /** The posted form; empty for a GET. */
  form: URLSearchParams;
  /** The form was posted to switch the language, not to continue. */
  switched: boolean;
}

/** The settings that the farmer's pages need. */
export interface FarmerSettings {
  serviceName: string;
  /** Where farmers reach the service. */
  publicUrl: string;
  production: boolean;
  /** The number of proxies in front of the API; rate limits apply to the addresses behind them. */
  trustedProxies: number;
  codes: CodeSettings;
  /** Seconds until the last page continues to the customer by itself; 20 except in tests. */
  goOnAfterS?: number;
}
