import { Binary, BSON, type Document } from 'mongodb';

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
  /** How long the message is. */
  bytes: number;
  /** How long each document beside the command is. */
  sizes: readonly number[];
}

export interface Rule {
  /** Where the behaviour is described. */
  source: string;
  refuse: (command: Document, seen: Seen) => Refusal | undefined;
}

export const MANUAL = 'https://www.mongodb.com/docs/manual';

const MAX = { message: 48_000_000, operations: 100_000, document: 16 * 2 ** 20, around: 16 * 2 ** 10 };
/** What a server says of its limits, and drivers go by. */
export const LIMITS = {
  maxBsonObjectSize: MAX.document,
  maxMessageSizeBytes: MAX.message,
  maxWriteBatchSize: MAX.operations,
};

/** Ends the connection in place of an answer. */
export const PROTOCOL_ERROR = 17;

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
  messageTooLarge: {
    source: `${MANUAL}/reference/command/hello/#mongodb-data-hello.maxMessageSizeBytes; mongo/src/mongo/transport/session_asio.cpp`,
    refuse: (_, { bytes }) =>
      bytes > MAX.message
        ? refusal(PROTOCOL_ERROR, 'ProtocolError', `recv(): message msgLen ${bytes} is invalid`)
        : undefined,
  },
  objectTooLarge: {
    source: `${MANUAL}/reference/limits/#mongodb-limit-BSON-Document-Size; mongo/src/mongo/bson/util/builder.h, BSONObjMaxInternalSize`,
    refuse: (_, { bytes, sizes }) => {
      const body = sizes.reduce((left, size) => left - size, bytes);
      const largest = sizes.reduce((most, size) => Math.max(most, size), body);
      return largest > MAX.document + MAX.around
        ? refusal(10334, 'BSONObjectTooLarge', `BSONObj size: ${largest} is invalid`)
        : undefined;
    },
  },
  documentTooLarge: {
    source: `${MANUAL}/reference/limits/#mongodb-limit-BSON-Document-Size; mongo/src/mongo/db/ops/insert.cpp, fixDocumentForInsert; outside of a transaction it is a write error`,
    refuse: (command, { bytes, sizes }) =>
      bytes > MAX.document &&
      nameOf(command) === 'insert' &&
      operationsOf(command, sizes).some((size) => size > MAX.document)
        ? refusal(2, 'BadValue', 'object to insert too large')
        : undefined,
  },
  tooManyOperations: {
    source: `${MANUAL}/reference/limits/#mongodb-limit-Write-Command-Batch-Limit-Size; mongo/src/mongo/db/ops/write_ops_parsers.cpp, checkOpCountForCommand`,
    refuse: (command, { sizes }) => {
      const count = Math.max(sizes.length, ...LISTS.map((list) => command[list]?.length ?? 0));
      return count > MAX.operations
        ? refusal(
            16,
            'InvalidLength',
            `Write batch sizes must be between 1 and 100000. Got ${count} operations.`,
          )
        : undefined;
    },
  },
};

const LISTS = ['documents', 'updates', 'deletes'];

/** How long each is of what a write inserts, changes or deletes. */
function operationsOf(command: Document, sizes: readonly number[]): readonly number[] {
  if (sizes.length > 0) return sizes;
  return LISTS.flatMap((list) => command[list] ?? []).map((one) => BSON.calculateObjectSize(one));
}

export const WRITES = new Set([
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
/** To a transaction: whoever else needs the collection waits. */
export const LOCK_TIMEOUT = refusal(
  24,
  'LockTimeout',
  "Unable to acquire lock within a max lock request timeout of '5ms' milliseconds.",
  'TransientTransactionError',
);
export const TIME_OVER = refusal(50, 'MaxTimeMSExpired', 'operation exceeded time limit');

/** The first member of a command is its name. */
export const nameOf = (command: Document): string => Object.keys(command)[0] ?? '';
