import { CliError, EXIT } from './cli-error';
import type { Connections } from './connections';

/** The error of a command that cannot reach Temporal. */
export async function temporalUnavailable(connections: Connections): Promise<CliError> {
  const { temporalAddress } = await connections.settings();
  return new CliError(
    `Temporal at ${temporalAddress} does not answer`,
    'start it, or check TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE',
    EXIT.unavailable,
  );
}
