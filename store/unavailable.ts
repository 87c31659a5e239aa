import {
  MongoBulkWriteError,
  MongoError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoOperationTimeoutError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
} from 'mongodb';

/** A write could not take its lock or commit in time; the caller retries (docs/contract.md E11). */
export class WriteTimeout extends Error {
  override name = 'WriteTimeout';
}

const AWAY = [
  MongoNetworkError,
  MongoServerSelectionError,
  MongoOperationTimeoutError,
  MongoNotConnectedError,
  MongoTopologyClosedError,
];

// A primary that steps down or shuts down (MongoDB's "retryable error codes").
const STEPPING_DOWN = new Set<unknown>([91, 189, 10107, 11600, 11602, 13435, 13436]);

// CursorNotFound, MaxTimeMSExpired, QueryPlanKilled: in an election, behind a limit of the server, while an index is dropped.
const READ_ENDED = new Set<unknown>([43, 50, 175]);

// InternalError, UnknownError, WriteConflict without a label, OutOfDiskSpace, and Interrupted, as by end-dead-transactions.ts
// (MongoDB's error_codes.yml).
const FAILED_ITSELF = new Set<unknown>([1, 8, 112, 11601, 14031]);

// The driver passes on the error of a socket that closes between two commands.
const SOCKET_ENDED = new Set<unknown>(['EPIPE', 'ECONNRESET']);

/** Whether the database is down or busy, so that the same call may succeed later. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof WriteTimeout) return true;
  if (AWAY.some((kind) => error instanceof kind)) return true;
  if (error instanceof Error && SOCKET_ENDED.has((error as NodeJS.ErrnoException).code)) return true;
  // The driver wraps a connection error in the middle of a batch.
  if (error instanceof MongoBulkWriteError && error.errorResponse instanceof Error) {
    return isUnavailable(error.errorResponse);
  }
  return (
    error instanceof MongoError &&
    (STEPPING_DOWN.has(error.code) ||
      FAILED_ITSELF.has(error.code) ||
      READ_ENDED.has(error.code) ||
      ['TransientTransactionError', 'RetryableWriteError', 'UnknownTransactionCommitResult'].some((label) =>
        error.hasErrorLabel(label),
      ))
  );
}

export const DUPLICATE_KEY = 11000;

/** For a read by `_id` of what has just been in the way of a write: a majority may not show it yet. */
export const NEWEST = { readConcern: { level: 'linearizable' } } as const;

export function isDuplicateKey(error: unknown): error is MongoError {
  return error instanceof MongoError && error.code === DUPLICATE_KEY;
}

/** Whether a write was the first with its unique key. If it was not, it has changed nothing. */
export const isFirst = (write: Promise<unknown>): Promise<boolean> =>
  write.then(
    () => true,
    (error: unknown) => {
      if (isDuplicateKey(error)) return false;
      throw error;
    },
  );
