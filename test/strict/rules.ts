import { Binary, type Document } from 'mongodb';

/** What mongod answers in place of the server behind the wire. */
export type Refusal = Document & { ok: 0; code: number; codeName: string; errmsg: string };

const refusal = (code: number, codeName: string, errmsg: string, ...errorLabels: string[]): Refusal => ({
  ok: 0,
  code,
  codeName,
  errmsg,
  ...(errorLabels.length > 0 && { errorLabels }),
});

/** What a rule may go by, besides the command. */
export interface Seen {
  /** Milliseconds since the transaction of this command began; undefined outside of one. */
  transactionMs: number | undefined;
  transactionLimitMs: number;
}

export interface Rule {
  /** Where the behaviour is described. */
  source: string;
  refuse: (command: Document, seen: Seen) => Refusal | undefined;
}

const MANUAL = 'https://www.mongodb.com/docs/manual';

/** What mongod refuses and the stand-ins let pass, by name. */
export const RULES: Record<string, Rule> = {
  linearizableWithATime: {
    source:
      'mongo/src/mongo/db/read_concern_mongod.cpp, waitForReadConcernImpl; seen by the driver’s own retry',
    refuse: ({ readConcern }) =>
      readConcern?.level === 'linearizable' && readConcern.afterClusterTime
        ? refusal(72, 'InvalidOptions', 'readConcern level linearizable does not allow afterClusterTime')
        : undefined,
  },
  readConcernLaterInATransaction: {
    source: `${MANUAL}/core/transactions/#read-concern-write-concern-read-preference`,
    refuse: ({ autocommit, startTransaction, readConcern }) =>
      autocommit === false && !startTransaction && readConcern
        ? refusal(72, 'InvalidOptions', 'Only the first command in a transaction may specify a readConcern')
        : undefined,
  },
  currentOpReadsLocally: {
    source: 'mongo/src/mongo/db/pipeline/document_source_current_op.h, onlyReadConcernLocalSupported',
    refuse: ({ pipeline, readConcern }) =>
      pipeline?.[0]?.$currentOp && (readConcern?.level ?? 'local') !== 'local'
        ? refusal(72, 'InvalidOptions', 'Aggregation stage $currentOp cannot run with another read concern')
        : undefined,
  },
  sessionsAreKnownByAUuid: {
    source:
      'mongo/src/mongo/db/session/logical_session_id.idl; the code of IDL for a wrong type of binary data',
    refuse: ({ killSessions }) =>
      killSessions?.some(({ id }: Document) => id.sub_type !== Binary.SUBTYPE_UUID)
        ? refusal(14, 'TypeMismatch', 'id is the wrong binData type, expected type UUID')
        : undefined,
  },
  transactionTooOld: {
    source: `${MANUAL}/reference/parameters/#mongodb-parameter-param.transactionLifetimeLimitSeconds`,
    refuse: (_, { transactionMs, transactionLimitMs }) =>
      transactionMs !== undefined && transactionMs > transactionLimitMs
        ? refusal(251, 'NoSuchTransaction', 'Transaction has been aborted.', 'TransientTransactionError')
        : undefined,
  },
};

const WRITES = new Set([
  'insert',
  'update',
  'delete',
  'findAndModify',
  'commitTransaction',
  'abortTransaction',
]);

/** `mongo/src/mongo/base/error_codes.yml` */
export const notPrimary = (command: Document): Refusal =>
  WRITES.has(nameOf(command)) ||
  command['autocommit'] === false ||
  command['readConcern']?.level === 'linearizable'
    ? refusal(10107, 'NotWritablePrimary', 'not primary', ...labelsOf(command))
    : refusal(13435, 'NotPrimaryNoSecondaryOk', 'not primary and secondaryOk=false', ...labelsOf(command));

export const interrupted = (command: Document): Refusal =>
  refusal(11602, 'InterruptedDueToReplStateChange', 'operation was interrupted', ...labelsOf(command));

/** The labels that the server gives: the driver adds its own to what ends with the connection. */
function labelsOf(command: Document): string[] {
  if (command['autocommit'] === false && !/Transaction$/.test(nameOf(command)))
    return ['TransientTransactionError'];
  return command['txnNumber'] === undefined ? [] : ['RetryableWriteError'];
}

export const CURSOR_GONE = refusal(43, 'CursorNotFound', 'cursor id not found');
export const PLAN_KILLED = refusal(175, 'QueryPlanKilled', 'collection dropped or renamed');
export const TIME_OVER = refusal(50, 'MaxTimeMSExpired', 'operation exceeded time limit');

/** The first member of a command is its name. */
export const nameOf = (command: Document): string => Object.keys(command)[0] ?? '';
