import { isNativeError } from 'node:util/types';
import type { Logger } from 'pino';
import { isUnavailable } from '../../store/unavailable';
import type { RequestState } from './route';

/** Logs why a request failed, if it did. Only chosen fields, since errors may contain documents or user input. */
export function reportError(log: Logger, { requestId, failed: error }: RequestState): void {
  if (error === undefined) return;
  const described = isNativeError(error)
    ? { type: error.name, code: codeOf(error), message: error.message, stack: error.stack }
    : { type: typeof error };
  log[isUnavailable(error) ? 'warn' : 'error']({ request_id: requestId, error: described }, 'request failed');
}

// A number from MongoDB, a word from a connection (ECONNREFUSED).
function codeOf(error: Error): string | number | undefined {
  const { code } = error as { code?: unknown };
  return typeof code === 'number' || typeof code === 'string' ? code : undefined;
}
