import type { Connections } from './connections';
import { EXIT } from './exit-codes';
import { Failure } from './failure';

/** What a verb says that needs Temporal and does not reach it. */
export async function temporalAway(connections: Connections): Promise<Failure> {
  const { temporalAddress } = await connections.settings();
  return new Failure(
    `Temporal at ${temporalAddress} does not answer`,
    'start it, or check TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE',
    EXIT.unavailable,
  );
}
