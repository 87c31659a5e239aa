import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Store } from '../store';

/** The processes that wait for the counters of some entity types, first come first served. */
interface Queue {
  /** The entity types, as in `tickets` or `accounts+tickets`. */
  _id: string;
  /** An id for each turn that is waited for. */
  waiting: string[];
}

// For as long after a conflict a process waits for its turn.
const BUSY_MS = 10_000;

// A transaction takes some 10 ms or more, and whoever is in front of the queue tries by itself.
const LOOK_MS = { next: 4, most: 20 };

// Whoever is in front for longer has died, or waits for a long transaction: then the next one may try beside it.
const MAY_LEAD_MS = 1_000;

/**
 * Lets processes take a counter one after the other. Without it each would try again and again while another holds the
 * counter, and the one that has just committed would be first again. Only the order of commits rests on the counter
 * itself (docs/architecture.md#commit-order, rule 1): a queue that fails, or that a process leaves without a word, costs time
 * and never a record. A process that nobody is in the way of asks nothing.
 */
export class PushQueue {
  private busyUntil = -Infinity;
  private turn: string | undefined;

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
      if (waiting.length > 1) this.findBusy();
      await this.untilInFront(this.turn, waiting);
    } catch {
      // Whoever cannot wait in the queue tries at once.
    }
  }

  /** Another process was in the way: the next pushes wait for their turn. */
  findBusy(): void {
    this.busyUntil = performance.now() + BUSY_MS;
  }

  /** Lets the next one try. */
  leave(): void {
    if (this.turn === undefined) return;
    const left = this.turn;
    this.turn = undefined;
    void this.remove(left).catch(() => undefined); // the next one comes after `MAY_LEAD_MS`
  }

  private async join(turn: string): Promise<string[]> {
    const queue = await this.queues().findOneAndUpdate(
      { _id: this.types },
      { $push: { waiting: turn } },
      { upsert: true, returnDocument: 'after' },
    );
    return queue?.waiting ?? [];
  }

  private async untilInFront(turn: string, joined: string[]): Promise<void> {
    let [waiting, leader, since] = [joined, joined[0], performance.now()];
    while (waiting.indexOf(turn) > 0) {
      await setTimeout(Math.min(LOOK_MS.most, LOOK_MS.next * waiting.indexOf(turn)));
      waiting = (await this.queues().findOne({ _id: this.types }))?.waiting ?? [];
      const isSame = waiting[0] === leader;
      if (!isSame) [leader, since] = [waiting[0], performance.now()];
      else if (leader && performance.now() - since > MAY_LEAD_MS) await this.remove(leader);
    }
  }

  private async remove(turn: string): Promise<void> {
    await this.queues().updateOne({ _id: this.types }, { $pull: { waiting: turn } });
  }

  /** Nothing is lost with a queue: no write of it waits for the disk or another member. */
  private queues() {
    return this.store.db.collection<Queue>('push_queues', {
      writeConcern: { w: 1, journal: false },
      readConcern: { level: 'local' },
    });
  }
}
