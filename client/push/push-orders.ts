import type { Mapping } from './mapping-schema';
import type { PushProgress } from './progress';
import type { PushClient } from './push-client';

export interface PushOrders {
  client: PushClient;
  mapping: Mapping;
  batchSize: number;
  dryRun: boolean;
  /** Pushes a file even if it was pushed before. */
  again: boolean;
  /** It is the only file, and named: not one of a folder or of a list. */
  isAlone?: boolean;
  /** Percent of the records that a whole file may delete, in place of what its mapping says. */
  deleteAtMost?: number | undefined;
  /** The destination of the records: the address and a hash of the token. */
  target: string;
  progress: PushProgress;
}
