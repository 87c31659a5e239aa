import { DefaultLogger } from '@temporalio/worker';
import type { Logger } from 'pino';

const LEVELS = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;

// Said of each worker that has activities alone, as ours for backlogs have on purpose.
const NO_WARNING = 'No workflows registered, not polling for workflow tasks';

/** Routes the SDK's log lines to our log. */
export function temporalLogger(log: Logger): DefaultLogger {
  return new DefaultLogger('WARN', ({ level, message, meta: { error, ...fields } = {} }) => {
    const as = message === NO_WARNING ? 'debug' : LEVELS[level];
    log[as]({ ...fields, ...(error instanceof Error && { error: wordsOf(error) }) }, message);
  });
}

/** As JSON an error has no message. */
const wordsOf = ({ name, message, type = name }: Error & { type?: string | null }) =>
  `${type ?? name}: ${message}`;
