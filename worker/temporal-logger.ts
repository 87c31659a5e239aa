import { DefaultLogger } from '@temporalio/worker';
import type { Logger } from 'pino';

const LEVELS = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;

/** Routes the SDK's log lines to our log. */
export function temporalLogger(log: Logger): DefaultLogger {
  return new DefaultLogger('WARN', ({ level, message, meta: { error, ...fields } = {} }) =>
    log[LEVELS[level]]({ ...fields, ...(error instanceof Error && { error: wordsOf(error) }) }, message),
  );
}

/** As JSON an error has no message. */
const wordsOf = ({ name, message, type = name }: Error & { type?: string | null }) =>
  `${type ?? name}: ${message}`;
