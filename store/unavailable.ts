import {
  MongoError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoOperationTimeoutError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
} from 'mongodb';

/** A push could not get its turn in time (contract 2): the ERP tries again. */
export class TurnTimeout extends Error {
  override name = 'TurnTimeout';
}

const AWAY = [
  MongoNetworkError,
  MongoServerSelectionError,
  MongoOperationTimeoutError,
  MongoNotConnectedError,
  MongoTopologyClosedError,
];

/** True when the error says the database is away or busy, so that the same call may succeed later. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof TurnTimeout) return true;
  if (AWAY.some((kind) => error instanceof kind)) return true;
  return (
    error instanceof MongoError &&
    ['TransientTransactionError', 'RetryableWriteError', 'UnknownTransactionCommitResult'].some((label) =>
      error.hasErrorLabel(label),
    )
  );
}

export function isDuplicateKey(error: unknown): boolean {
  return error instanceof MongoError && error.code === 11000;
}
