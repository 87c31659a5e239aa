import type { Document, MongoClient } from 'mongodb';

// With the pauses of a push, whoever waits behind a dead process waits for less than 5 s.
const LOOKS_MS = { first: 1_000, next: 2_000 };

/**
 * Returns a function to call after each failed try of a transaction. It ends transactions of this service that sent no
 * command between two looks. A process that has died or cannot be reached leaves its own open, with its locks, until MongoDB
 * ends it (`transactionLifetimeLimitSeconds`: 60 s, in deploy/ 30 s). What is ended here has not been committed, and a
 * process that lives tries it again: a wrong guess costs time and never a record.
 *
 * A user may list and kill the sessions of its own without any privilege:
 * https://www.mongodb.com/docs/manual/reference/operator/aggregation/currentOp/ (`allUsers`),
 * https://www.mongodb.com/docs/manual/reference/command/killSessions/
 */
export function endDeadTransactions(client: MongoClient): () => Promise<void> {
  let due = performance.now() + LOOKS_MS.first;
  let before = new Set<string>();
  return async () => {
    if (performance.now() < due) return;
    const idle = await listIdle(client).catch(() => []); // a user that may not look waits for MongoDB
    const dead = idle.filter((one) => before.has(activityOf(one)));
    before = new Set(idle.map(activityOf));
    due = performance.now() + LOOKS_MS.next;
    if (dead.length === 0) return;
    const killSessions = dead.map(({ lsid }) => ({ id: lsid.id }));
    await client
      .db('admin')
      .command({ killSessions })
      .catch(() => undefined); // a user that may not end them waits for MongoDB
  };
}

/** Lists the open transactions of this service whose client sends no command now. */
function listIdle(client: MongoClient): Promise<Document[]> {
  const ours = { $match: { type: 'idleSession', appName: { $regex: '^gdx' } } };
  // The stage takes no other read concern, and a session is known by a UUID, not by its bytes.
  const options = { readConcern: { level: 'local' }, promoteBuffers: false } as const;
  return client
    .db('admin')
    .aggregate([{ $currentOp: { idleSessions: true } }, ours], options)
    .toArray();
}

/** Names a transaction as it stands: the name is another one as soon as its client has sent a command. */
const activityOf = ({ lsid, transaction }: Document): string =>
  [lsid.id, transaction.parameters.txnNumber, transaction.timeActiveMicros].join(' ');
