import type { Channel } from '../../store/channels';
import type { FarmerSession } from '../../store/farmer-sessions';

/** What the farmer's steps work with. */
export interface Visit {
  session: FarmerSession;
  channel: Channel;
  /** What was posted; empty for a GET. */
  form: URLSearchParams;
  /** The form was posted to read the page in the other language, not to go on. */
  switched: boolean;
}

/** What the farmer's pages need of the process beside store and bell. */
export interface FarmerSettings {
  serviceName: string;
  /** Where farmers reach the service. */
  publicUrl: string;
  production: boolean;
  /** How many proxies stand before the API: the addresses behind them are counted by. */
  trustedProxies: number;
}
