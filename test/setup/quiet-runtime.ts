import { Runtime } from '@temporalio/worker';
import pino from 'pino';
import { temporalLogger } from '../../worker/install-runtime';

let installed = false;

/** The SDK's runtime, of which a process has one. It says nothing, as what is meant to fail would fill the output. */
export function quietRuntime(): void {
  if (installed) return;
  Runtime.install({
    shutdownSignals: [],
    logger: temporalLogger(pino({ level: 'silent' })),
    telemetryOptions: { logging: { filter: 'OFF', forward: {} } },
  });
  installed = true;
}
