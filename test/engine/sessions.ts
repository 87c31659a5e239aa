import { type Document } from 'mongodb';
import { OpenTransactions } from '../strict/open-transactions';
import { PgConnection, PgError } from './pg-connection';
import { Refused, refusalOf, WRITE_CONFLICT } from './pg-errors';

interface Open {
  pg: PgConnection;
  txnNumber: string;
}

// As in mongod, a snapshot is that of the first command, and whoever meets another's lock soon has a conflict.
const BEGIN = [
  'BEGIN ISOLATION LEVEL REPEATABLE READ',
  'SET LOCAL lock_timeout = 20',
  'SET LOCAL transaction_timeout = 60000',
];

const MOST_TRIES = 50;

/** The connections to PostgreSQL: each session that is in a transaction has one, and every other command has one for its time. */
export class Sessions {
  private readonly idle: PgConnection[] = [];
  private readonly open = new Map<string, Open>();
  private readonly committed = new Map<string, string>();
  private readonly duplicates = new Map<string, string>();
  private readonly known = new OpenTransactions();
  /** Connections that a cursor keeps. */
  readonly held = new Set<PgConnection>();

  constructor(private readonly port: number) {}

  /** Does what a command asks: in its transaction, which a refusal ends, or by itself, which waits for others as long as it may. */
  async run<T>(command: Document, appName: string, work: (pg: PgConnection) => Promise<T>): Promise<T> {
    if (command['autocommit'] === false) return this.within(command, appName, work);
    for (let tries = 0; ; tries++) {
      const pg = await this.take();
      try {
        return await work(pg);
      } catch (error) {
        const refusal = asRefusal(error);
        if (refusal.code !== WRITE_CONFLICT || tries === MOST_TRIES) throw refusal;
      } finally {
        this.giveBack(pg);
      }
    }
  }

  async commit(command: Document): Promise<void> {
    const key = keyOf(command['lsid']);
    if (this.committed.get(key) === String(command['txnNumber'])) return;
    const { pg, txnNumber } = this.openOf(command);
    this.forget(command['lsid']);
    await pg.query('COMMIT').catch((error: unknown) => Promise.reject(asRefusal(error)));
    this.committed.set(key, txnNumber);
    this.duplicates.delete(key);
    this.giveBack(pg);
  }

  async abort(lsid: Document): Promise<void> {
    const one = this.open.get(keyOf(lsid));
    this.forget(lsid);
    await one?.pg.query('ROLLBACK').catch(() => undefined);
    if (one) this.giveBack(one.pg);
  }

  /** What is under way in them is interrupted. */
  async kill(lsids: Document[]): Promise<void> {
    for (const lsid of lsids) {
      const one = this.open.get(keyOf(lsid));
      this.forget(lsid);
      if (one)
        await this.run({}, '', (pg) => pg.query('SELECT pg_terminate_backend($1::int)', [`${one.pg.pid}`]));
    }
  }

  currentOp = (command: Document): Document => this.known.currentOp(command);

  giveBack(pg: PgConnection): void {
    if (!this.held.has(pg)) this.idle.push(pg);
  }

  end(): void {
    for (const { pg } of this.open.values()) pg.end();
    for (const pg of [...this.idle, ...this.held]) pg.end();
  }

  private async within<T>(
    command: Document,
    appName: string,
    work: (pg: PgConnection) => Promise<T>,
  ): Promise<T> {
    const { lsid } = command;
    if (command['startTransaction']) await this.begin(command);
    const { pg } = this.openOf(command);
    const told = this.known.of(command, appName)!;
    told.isActive = true;
    try {
      return await work(pg);
    } catch (error) {
      const wasKilled = !this.open.has(keyOf(lsid));
      await this.abort(lsid);
      const refusal = asRefusal(error);
      if (refusal.code === DUPLICATE_KEY && this.isNew(lsid, refusal)) throw conflict(refusal);
      throw refusal.code === SHUTDOWN && !wasKilled ? noSuchTransaction() : refusal;
    } finally {
      told.isActive = false;
    }
  }

  /**
   * mongod knows a key that was committed since the snapshot, which is a conflict, from one that the snapshot has. Here the
   * first one is taken for a conflict; a session that meets it again has it in its snapshot.
   */
  private isNew(lsid: Document, { message }: Refused): boolean {
    const [key, met] = [keyOf(lsid), this.duplicates.get(keyOf(lsid))];
    this.duplicates.set(key, message);
    return met !== message;
  }

  private async begin({ lsid, txnNumber }: Document): Promise<void> {
    await this.abort(lsid);
    const pg = await this.take();
    for (const sql of BEGIN) pg.query(sql).catch(() => undefined); // the first command fails as well
    this.open.set(keyOf(lsid), { pg, txnNumber: String(txnNumber) });
  }

  private openOf({ lsid, txnNumber }: Document): Open {
    const one = this.open.get(keyOf(lsid));
    if (one?.txnNumber !== String(txnNumber)) throw noSuchTransaction();
    return one;
  }

  private forget(lsid: Document): void {
    this.open.delete(keyOf(lsid));
    this.known.ended(lsid);
  }

  private async take(): Promise<PgConnection> {
    for (let pg = this.idle.pop(); pg; pg = this.idle.pop()) if (pg.isOpen) return pg;
    return PgConnection.open(this.port);
  }
}

const SHUTDOWN = 91;
const DUPLICATE_KEY = 11000;

const conflict = ({ message }: Refused) => new Refused(WRITE_CONFLICT, 'WriteConflict', message);

const noSuchTransaction = () => new Refused(251, 'NoSuchTransaction', 'there is no such transaction');

function asRefusal(error: unknown): Refused {
  if (error instanceof PgError) return refusalOf(error);
  return error instanceof Refused ? error : new Refused(8, 'UnknownError', String(error));
}

const keyOf = ({ id }: Document): string => id.toString('hex');
