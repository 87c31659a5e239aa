import type { Document } from 'mongodb';

/** What a command has come to; undefined where nobody knows. */
type Answered = (answer?: Document) => void;

interface Marker {
  /** How many commands have taken an epoch, for sure and at most. */
  raised: number;
  sent: number;
}

interface Transaction {
  hasWritten: boolean;
  /** Of each counter, the position before, how many were taken, and how many given back. */
  taken: Map<string, { before: number; count: number }>;
  /** What else it has done counts when it is committed. */
  done: (() => void)[];
}

const TYPES = new Set(['accounts', 'contracts', 'tickets', 'settlements']);
const WRITES = new Set(['insert', 'update', 'delete', 'findAndModify']);
/** A channel's own; a catch-up's has the account behind it (sharing.pml). */
const OWN_MARKER = /^[^/]+\/[^/]+$/;

/**
 * Says of a real run whether commit-order.pml allows it, from the model's rules alone: it is told of each command to
 * MongoDB before it is sent and when it is answered, and of each page when the customer answers it. What is in flight at once may have
 * happened in any order, and counts as the one that is allowed.
 */
export class RunChecker {
  /** What the model does not allow, the first of it first. */
  readonly broken: string[] = [];
  /** How many steps of the model were seen. */
  steps = 0;
  private readonly ceilings = new Map<string, number>();
  private readonly bounds = new Map<string, number>();
  private readonly markers = new Map<string, Marker>();
  private readonly confirmed = new Set<string>();
  private readonly transactions = new Map<string, Transaction>();
  private readonly counters = new Map<string, number>();

  /** A customer confirms a page: `got[r] = v`. */
  pageConfirmed(delivery: string, number: number): void {
    this.steps++;
    this.confirmed.add(`${delivery} ${number}`);
  }

  /** @returns to be called with the answer */
  commandSent(command: Document): Answered {
    const [name = '', collection] = Object.entries(command)[0] ?? [];
    const key = command['autocommit'] === false ? sessionOf(command) : undefined;
    if (key !== undefined && command['startTransaction'])
      this.transactions.set(key, { hasWritten: false, taken: new Map(), done: [] });
    const transaction = key === undefined ? undefined : this.transactions.get(key);
    if (name === 'commitTransaction' && transaction) return this.committing(transaction, key!);
    if (name === 'abortTransaction') this.transactions.delete(key!);
    const told = this.toldOf(name, String(collection), command, transaction);
    if (transaction && WRITES.has(name)) transaction.hasWritten = true;
    if (!transaction || collection !== 'markers') return told;
    return (answer) => void transaction.done.push(() => told(answer));
  }

  private toldOf(name: string, collection: string, command: Document, transaction?: Transaction): Answered {
    if (collection === 'counters') return this.counterTold(name, command, transaction);
    if (collection === 'markers' && name === 'findAndModify') return this.epochTaken(command);
    if (collection === 'markers' && name === 'update') return this.markersTold(command['updates']);
    if (TYPES.has(collection) && name === 'find')
      return this.recordsRead(collection, command['filter'], command);
    if (TYPES.has(collection) && name === 'aggregate')
      return this.recordsRead(collection, command['pipeline'][0]?.$match ?? {});
    return () => undefined;
  }

  /** `!locked; locked = true`, then `counter++`; or `ceil = counter`. */
  private counterTold(name: string, command: Document, transaction?: Transaction): Answered {
    if (name === 'find')
      return (answer) => {
        for (const { _id, position } of answer?.['cursor']?.firstBatch ?? [])
          this.raise(this.ceilings, _id, Number(position));
      };
    const changes =
      name === 'findAndModify' ? [{ q: command['query'], u: command['update'] }] : command['updates'];
    const hadWritten = transaction?.hasWritten && transaction.taken.size === 0;
    return (answer) => {
      for (const { q, u } of changes ?? []) {
        const count = Number(u?.$inc?.position ?? 0);
        if (count === 0 || answer?.['ok'] !== 1) continue;
        this.steps++;
        if (!transaction) return this.refuse(`OUTSIDE: a position of ${q._id} is taken in no transaction`);
        if (hadWritten && !transaction.taken.has(q._id))
          this.refuse(`OUTSIDE: the transaction wrote something before it took a position of ${q._id}`);
        const before = transaction.taken.get(q._id);
        if (before) before.count += count;
        else transaction.taken.set(q._id, { before: Number(answer['value'].position), count });
      }
    };
  }

  /** `pos[r] = p; ver[r]++; locked = false` */
  private committing({ taken, done }: Transaction, key: string): Answered {
    const known = new Map(this.counters);
    return (answer) => {
      if (answer?.['ok'] !== 1 || !this.transactions.delete(key)) return; // or it was asked for twice
      done.splice(0).forEach((one) => one());
      for (const [type, { before, count }] of taken) {
        this.steps++;
        if (before < (known.get(type) ?? 0))
          this.refuse(
            `OUTSIDE: positions of ${type} from ${before} are committed, and so were those up to ${known.get(type)}`,
          );
        this.raise(this.counters, type, before + count);
      }
    };
  }

  /** `epoch++; e = epoch; m = marker` */
  private epochTaken({ query, update }: Document): Answered {
    if (!OWN_MARKER.test(query?._id) || update?.$inc?.epoch === undefined) return () => undefined;
    const marker = this.markerOf(query._id);
    const least = marker.raised + 1;
    marker.sent++;
    return (answer) => {
      const epoch = answer?.['value']?.epoch;
      if (epoch === undefined || epoch === null) return;
      marker.raised++;
      this.expectEpoch(query._id, Number(epoch), least, marker.sent);
    };
  }

  private markersTold(updates: Document[]): Answered {
    const told = (updates ?? []).map(({ q, u }) => this.markerTold(q ?? {}, u ?? {}));
    return (answer) => {
      if (answer?.['ok'] === 1 && Number(answer['n']) > 0) told.forEach((one) => one(answer));
    };
  }

  /** `epoch == e -> marker = best`; `marker = 0; epoch++`; `marker = ceil; epoch++` */
  private markerTold(q: Document, u: Document): Answered {
    const id = String(q['_id']);
    if (q['_id'] !== undefined && !OWN_MARKER.test(id)) return () => undefined;
    const marker = this.markerOf(id);
    const takes = Number(u['$inc']?.epoch ?? 0);
    const least = marker.raised;
    const ceiling = this.bounds.get(id.split('/')[1] ?? '') ?? 0;
    const { position, progress } = u['$set'] ?? {};
    const isConfirmed =
      !progress || progress.pages === 0 || this.confirmed.has(`${progress.delivery} ${progress.pages}`);
    marker.sent += takes;
    return () => {
      marker.raised += takes;
      if (u['$min']?.position !== undefined) {
        this.steps++;
        if (takes === 0) this.refuse(`SKIP_RESET_FENCE: a reset of ${id} takes no epoch`);
      }
      if (position === undefined || u['$set'].began !== undefined) return;
      this.steps++;
      if (q['epoch'] === undefined) return this.refuse(`NO_FENCE: ${id} moves in any epoch`);
      this.expectEpoch(id, Number(q['epoch']), least, marker.sent);
      if (!isConfirmed)
        this.refuse(
          `ADV_EARLY: ${id} moves past page ${progress.pages} of ${progress.delivery}, which nobody has confirmed`,
        );
      if (Number(position) > ceiling)
        this.refuse(`LATE_CEILING: ${id} moves to ${position}, and records were read up to ${ceiling}`);
    };
  }

  /** The loop over `i <= ceil`. */
  private recordsRead(type: string, filter: Document, { projection, sort }: Document = {}): Answered {
    const { $gt: after, $lte: upTo } = filter['position'] ?? {};
    if (Number(after) >= Number(upTo)) return () => undefined; // nothing can be there
    if (upTo === undefined) {
      const isPage = after !== undefined && projection?.wire && sort?.position;
      if (isPage) this.refuse(`NO_CEILING: a page of ${type} is read without an end`);
      return () => undefined;
    }
    const ceiling = this.ceilings.get(type) ?? 0;
    if (Number(upTo) > ceiling)
      this.refuse(`NO_CEILING: ${type} are read up to ${upTo}, and the counter was read at ${ceiling}`);
    return (answer) => {
      if (answer?.['ok'] !== 1) return;
      this.steps++;
      this.raise(this.bounds, type, Number(upTo));
    };
  }

  private expectEpoch(id: string, epoch: number, least: number, most: number): void {
    if (epoch < least || epoch > most)
      this.refuse(`NO_FENCE: ${id} is changed in epoch ${epoch}, and it was from ${least} to ${most}`);
  }

  private markerOf(id: string): Marker {
    const marker = this.markers.get(id) ?? { raised: 0, sent: 0 };
    this.markers.set(id, marker);
    return marker;
  }

  private raise(numbers: Map<string, number>, key: string, to: number): void {
    numbers.set(key, Math.max(to, numbers.get(key) ?? 0));
  }

  private refuse(why: string): void {
    this.broken.push(why);
  }
}

const sessionOf = ({ lsid, txnNumber }: Document): string => `${lsid?.id?.toString('hex')} ${txnNumber}`;
