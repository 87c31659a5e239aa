import type { Document } from 'mongodb';
import { PgError } from './pg-connection';

/** What a client is told in place of an answer. */
export class Refused extends Error {
  constructor(
    readonly code: number,
    readonly codeName: string,
    message: string,
  ) {
    super(message);
  }
}

// By PostgreSQL's SQLSTATE, or the extension's own: mongo/src/mongo/base/error_codes.yml has what they are called there.
const CODES: Record<string, [code: number, name: string]> = {
  '40001': [112, 'WriteConflict'], // changed since the snapshot
  '40P01': [112, 'WriteConflict'], // a deadlock
  '55P03': [112, 'WriteConflict'], // waited for a lock, which mongod does not
  '57014': [50, 'MaxTimeMSExpired'],
  '57P01': [11601, 'Interrupted'],
  '08006': [91, 'ShutdownInProgress'],
  '53100': [14031, 'OutOfDiskSpace'],
  '23505': [11000, 'DuplicateKey'],
  '23P01': [11000, 'DuplicateKey'],
  M001C: [11000, 'DuplicateKey'],
  M0001: [2, 'BadValue'],
  M0003: [9, 'FailedToParse'],
  M0004: [14, 'TypeMismatch'],
  M0008: [26, 'NamespaceNotFound'],
  M0009: [27, 'IndexNotFound'],
  M000E: [43, 'CursorNotFound'],
  M000F: [48, 'NamespaceExists'],
  M000D: [40, 'ConflictingUpdateOperators'],
  M001B: [10334, 'BSONObjectTooLarge'],
};

export const WRITE_CONFLICT = 112;

export const refusalOf = ({ state, message }: PgError): Refused => {
  const [code, name] = CODES[state] ?? [1, `InternalError, ${state}`];
  return new Refused(code, name, code === 11000 ? `E11000 duplicate key error: ${message}` : message);
};

/** The extension packs the five letters of a SQLSTATE into the code of a write error, six bits each. */
export function ofWriteError({ code, errmsg }: Document): Refused {
  const letters = Array.from({ length: 5 }, (_, at) => ((code >> (6 * at)) & 63) + 48);
  return refusalOf(new PgError(String.fromCharCode(...letters), errmsg));
}
