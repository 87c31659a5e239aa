import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { UpdateFilter } from 'mongodb';
import type { Store } from '../store';

/** The processes that wait for the counters of some entity types, first come first served. */
interface Queue {
  /** The entity types, as in `tickets` or `accounts+tickets`. */
  _id: string;
  /** An id for each turn that is waited for. */
  waiting: string[];
  /** Rises while the process in front lives and tries. */
  beats?: number;
}

// After meeting another process, a process queues before each try for this long.
export const BUSY_MS = 10_000;

// Losing the queue loses no record, so its writes wait for neither disk nor replica. They are plain commands, because the server
// would keep the answer to each retryable write.
const QUEUES = 'push_queues';
const NOT_AWAITED = { w: 1, j: false };

// Between two looks at the queue. A transaction takes 10 ms or more, and the process in front does not look: it tries.
const LOOK_MS = { next: 4, most: 20 };

// The process in front may wait for a long transaction and sends a heartbeat. Without one for a second it counts as dead.
const BEAT_MS = { every: 300, silent: 1_000 };

/**
 * Lets processes take a counter one after the other. Without it each would try again and again while another holds the
 * counter, and the one that has just committed would be first again. Only the order of commits rests on the counter
 * itself (docs/architecture.md#commit-order, rule 1): a queue that fails, or that a process leaves without a word, costs time
 * and never a record. A process that meets no other asks nothing.
 */
export class PushQueue {
  private busyUntil = -Infinity;
  private turn: string | undefined;
  private beatAt = -Infinity;

  constructor(
    private readonly store: Store,
    private readonly types: string,
  ) {}

  /** Whether another process was lately in the way. */
  get isBusy(): boolean {
    return performance.now() < this.busyUntil;
  }

  /** Resolves when this process may try to take the counters, and never rejects. */
  async waitForTurn(): Promise<void> {
    this.turn = randomUUID();
    try {
      const waiting = await this.join(this.turn);
      if (waiting.length > 1) this.stayBusy();
      await this.untilInFront(this.turn, waiting);
    } catch {
      // Whoever cannot wait in the queue tries at once.
    }
  }

  /** Another process holds the counters: this one keeps trying, and queues the next times. */
  triedInVain(): void {
    this.stayBusy();
    const now = performance.now();
    if (this.turn === undefined || now < this.beatAt + BEAT_MS.every) return;
    this.beatAt = now;
    void this.change({ $inc: { beats: 1 } }).catch(() => undefined);
  }

  /** Lets the next one try. */
  leave(): void {
    if (this.turn === undefined) return;
    const left = this.turn;
    this.turn = undefined;
    void this.remove(left).catch(() => undefined); // the next one takes it for dead
  }

  private stayBusy(): void {
    this.busyUntil = performance.now() + BUSY_MS;
  }

  private async join(turn: string): Promise<string[]> {
    const { value } = await this.store.db.command({
      findAndModify: QUEUES,
      query: { _id: this.types },
      update: { $push: { waiting: turn } },
      upsert: true,
      new: true,
      writeConcern: NOT_AWAITED,
    });
    return (value as Queue).waiting;
  }

  private async untilInFront(turn: string, joined: string[]): Promise<void> {
    let [waiting, seen, since] = [joined, '', performance.now()];
    while (waiting.indexOf(turn) > 0) {
      await setTimeout(Math.min(LOOK_MS.most, LOOK_MS.next * waiting.indexOf(turn)));
      const queue = await this.store.db
        .collection<Queue>(QUEUES, { readConcern: { level: 'local' } })
        .findOne({ _id: this.types });
      waiting = queue?.waiting ?? [];
      const [leader] = waiting;
      const life = `${leader} ${queue?.beats}`;
      if (life !== seen) [seen, since] = [life, performance.now()];
      else if (leader && performance.now() - since > BEAT_MS.silent) await this.remove(leader);
    }
  }

  private remove(turn: string): Promise<void> {
    return this.change({ $pull: { waiting: turn } });
  }

  private async change(update: UpdateFilter<Queue>): Promise<void> {
    await this.store.db.command({
      update: QUEUES,
      updates: [{ q: { _id: this.types }, u: update }],
      writeConcern: NOT_AWAITED,
    });
  }
}
