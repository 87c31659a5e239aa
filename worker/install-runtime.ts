import { DefaultLogger, Runtime } from '@temporalio/worker';
import { randomInt } from 'node:crypto';
import type { Logger } from 'pino';
import { sendRequest } from '../outbound/send-request';

const TRIES = 20;
const TIMEOUT_MS = 1_000;
// The names follow our own metrics: seconds, and `_total` at the end of counters.
const NAMES = { useSecondsForDurations: true, unitSuffix: true, countersTotalSuffix: true };

/**
 * Installs the SDK's runtime. The SDK serves its metrics only by itself, here on loopback and a random port.
 * @returns a function that fetches these metrics, for our own page
 */
export function installRuntime(log: Logger): () => Promise<string> {
  const options = { shutdownSignals: [], logger: temporalLogger(log) };
  for (let left = TRIES; left > 0; left--) {
    const bindAddress = `127.0.0.1:${randomInt(20_000, 60_000)}`;
    const prometheus = { bindAddress, ...NAMES };
    try {
      Runtime.install({ ...options, telemetryOptions: { metrics: { prometheus } } });
      return () => fetchText(`http://${bindAddress}/metrics`);
    } catch {
      // the port is taken
    }
  }
  Runtime.install(options);
  log.warn('the metrics of the Temporal SDK are not served: no port was free');
  return async () => '';
}

async function fetchText(url: string): Promise<string> {
  try {
    const { body } = await sendRequest(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return await body.text();
  } catch {
    return '';
  }
}

const LEVELS = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;

// The SDK warns of each worker without workflows. Ours for backlogs have none on purpose.
const NO_WARNING = 'No workflows registered, not polling for workflow tasks';

/** Routes the SDK's log lines to our log. */
export function temporalLogger(log: Logger): DefaultLogger {
  return new DefaultLogger('WARN', ({ level, message, meta: { error, ...fields } = {} }) => {
    const as = message === NO_WARNING ? 'debug' : LEVELS[level];
    log[as]({ ...fields, ...(error instanceof Error && { error: wordsOf(error) }) }, message);
  });
}

/** JSON leaves out an error's message, so it is copied. */
const wordsOf = ({ name, message, type = name }: Error & { type?: string | null }) =>
  `${type ?? name}: ${message}`;
