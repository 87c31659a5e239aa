import { type Document, Long } from 'mongodb';

/** One that a client has begun and not ended yet. */
export interface Transaction {
  lsid: Document;
  txnNumber: unknown;
  began: number;
  appName: string;
  /** How often it has had a command; mongod counts the microseconds of its commands. */
  commands: number;
  isActive: boolean;
}

/** What mongod knows of the transactions that are open, and a stand-in does not say. */
export class OpenTransactions {
  private readonly open = new Map<string, Transaction>();

  /** The one that a command belongs to; undefined outside of one. */
  of(command: Document, appName: string): Transaction | undefined {
    const { autocommit, startTransaction, lsid, txnNumber } = command;
    if (autocommit !== false) return undefined;
    const key = keyOf(lsid);
    const before = startTransaction ? undefined : this.open.get(key);
    const one = before ?? { lsid, txnNumber, began: Date.now(), appName, commands: 0, isActive: false };
    one.commands++;
    this.open.set(key, one);
    return one;
  }

  ended(lsid: Document): void {
    this.open.delete(keyOf(lsid));
  }

  /** All of them, which are ended by whoever takes them. */
  takeAll(): Transaction[] {
    const all = [...this.open.values()];
    this.open.clear();
    return all;
  }

  /** The answer to `$currentOp`: of the command's stages the one that selects is played, by what it asks of a name. */
  currentOp({ pipeline }: Document): Document {
    const { appName, type } = pipeline[1].$match;
    const idle = [...this.open.values()].filter((one) => !one.isActive);
    const batch = idle.map(({ lsid, txnNumber, commands, ...one }) => ({
      type: 'idleSession',
      appName: one.appName,
      active: false,
      lsid,
      transaction: { parameters: { txnNumber, autocommit: false }, timeActiveMicros: commands },
    }));
    const firstBatch = batch.filter(
      (one) => one.type === type && new RegExp(appName.$regex).test(one.appName),
    );
    return { ok: 1, cursor: { id: Long.ZERO, ns: 'admin.$cmd.aggregate', firstBatch } };
  }
}

const keyOf = ({ id }: Document): string => id.toString('hex');
