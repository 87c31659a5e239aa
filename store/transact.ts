import { setTimeout } from 'node:timers/promises';
import { type ClientSession, MongoError } from 'mongodb';
import { type Span, traced } from '../domain/settings/tracing';
import { endDeadTransactions } from './end-dead-transactions';
import type { Store } from './store';
import { WriteTimeout } from './unavailable';

/** A write that does not take its locks and commit within this is answered 503 (docs/contract.md E11). */
export const WRITE_TIMEOUT_MS = 25_000;

/** A time on the clock of `performance.now()`: setting back the system clock would turn seconds into hours. */
export const deadlineIn = (ms = WRITE_TIMEOUT_MS): number => performance.now() + ms;

// The holder of the document continues in the meantime. A waiter whose pauses grow would be overtaken by everybody else.
const PAUSE_MS = { least: 2, most: 10 };

const MAX_TIME_EXPIRED = 50;

/** Runs one transaction as `transact` does, in a session of its own. @throws WriteTimeout */
export const inTransaction = <T>(store: Store, work: (session: ClientSession) => Promise<T>): Promise<T> =>
  store.client.withSession((session) => transact(store, session, deadlineIn(), () => work(session)));

/**
 * Runs one transaction, retried as a whole after write conflicts, as the driver's `withTransaction` does. The driver waits longer
 * and longer, with no limit but two minutes. This one pauses briefly, and ends the transactions of dead processes.
 * @param deadline no try begins after it, as of `deadlineIn`
 * @param work learns how often it was tried before
 * @param traces the `traceparent` of each request that the transaction serves; none: of the one that runs here
 * @throws WriteTimeout
 */
export const transact = <T>(
  store: Store,
  session: ClientSession,
  deadline: number,
  work: (tries: number) => Promise<T>,
  [parent, ...links]: string[] = [],
): Promise<T> =>
  traced(
    store.tracing,
    'transaction',
    () => ({ parent, links, attributes: { 'db.system.name': 'mongodb' } }),
    (span) => tryUntil(store, session, deadline, work, span),
  );

async function tryUntil<T>(
  { client }: Store,
  session: ClientSession,
  deadline: number,
  work: (tries: number) => Promise<T>,
  span: Span | undefined,
): Promise<T> {
  const endDead = endDeadTransactions(client);
  for (let tries = 0; ; tries++) {
    if (performance.now() > deadline) throw new WriteTimeout(`not committed in time, after ${tries} tries`);
    session.startTransaction();
    try {
      const result = await work(tries);
      await commit(session, deadline);
      span?.set({ tries: tries + 1 });
      return result;
    } catch (error) {
      if (session.inTransaction()) await session.abortTransaction();
      if (!isLabelled(error, 'TransientTransactionError')) throw error;
    }
    await endDead();
    await setTimeout(PAUSE_MS.least + Math.random() * (PAUSE_MS.most - PAUSE_MS.least));
  }
}

/** Asks again while nobody knows whether it has committed. */
async function commit(session: ClientSession, deadline: number): Promise<void> {
  for (;;) {
    try {
      return await session.commitTransaction();
    } catch (error) {
      const isUnknown =
        isLabelled(error, 'UnknownTransactionCommitResult') && error.code !== MAX_TIME_EXPIRED;
      if (!isUnknown || performance.now() > deadline) throw error;
    }
  }
}

const isLabelled = (error: unknown, label: string): error is MongoError =>
  error instanceof MongoError && error.hasErrorLabel(label);
