import type { Mapping } from './mapping-schema';
import type { PushProgress } from './progress';
import type { PushClient } from './push-client';

export interface PushOrders {
  client: PushClient;
  mapping: Mapping;
  batchSize: number;
  dryRun: boolean;
  /** Also a file that was pushed before. */
  again: boolean;
  /** What the records go to: the address, and a hash of the token. */
  target: string;
  progress: PushProgress;
}
