import { DefaultLogger } from '@temporalio/worker';
import type { Logger } from 'pino';

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
