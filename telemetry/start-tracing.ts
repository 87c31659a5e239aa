import type { Logger } from 'pino';
import type { OpenTelemetry } from './open-telemetry';

/** Starts tracing. @returns undefined if no endpoint is set: then the SDK of OpenTelemetry is not loaded */
export async function startTracing(
  endpoint: string | undefined,
  service: { name: string; version: string },
  log: Logger,
): Promise<OpenTelemetry | undefined> {
  if (endpoint === undefined) return undefined;
  const { openTelemetry } = await import('./open-telemetry.js');
  log.info({ endpoint }, 'traces are sent');
  return openTelemetry(endpoint, service, log);
}
