import type { Store } from '../store';
import { deadlineIn } from '../transact';
import { isUnavailable, WriteTimeout } from '../unavailable';
import { receiptAfterConflict } from './push-receipts';
import { PushQueue } from './push-queue';
import { type PushOutcome, recordCount, type ValidPush, typesOf } from './valid-push';
import { type HeldCounter, repeated, storeGroup } from './store-group';

// What one transaction takes at most; a single push may have so many records too. A group has no more than its line has lately
// stored in `heldMs`, as everybody else waits while it holds the counter.
const MOST = { pushes: 64, records: 5_000, heldMs: 200 };
// No group is limited below this: of a smaller transaction the commit takes most of the time, even for one record.
const FEW_RECORDS = 500;

/**
 * Stores a push, all or nothing. Those that wait for the same entity types go together in the next
 * transaction, each answered for itself (docs/architecture.md#commit-order, rule 1).
 * @param deadline as of `deadlineIn`; after it its ERP has been told that it failed, and may have sent something newer
 * @throws WriteTimeout, or another error for which `isUnavailable` is true, when it could not be stored in time
 */
export function storePush(store: Store, push: ValidPush, deadline = deadlineIn()): Promise<PushOutcome> {
  const types = typesOf([push]).join('+');
  const lines = linesOf.get(store) ?? new Map<string, PushLine>();
  linesOf.set(store, lines);
  const line = lines.get(types) ?? new PushLine(store, types);
  lines.set(types, line);
  return line.add(push, deadline);
}

const linesOf = new WeakMap<Store, Map<string, PushLine>>();

interface Waiting {
  push: ValidPush;
  deadline: number;
  answer: (outcome: PushOutcome) => void;
  fail: (error: unknown) => void;
}

/** The pushes of one process that have the same entity types, first come first served. */
class PushLine {
  private waiting: Waiting[] = [];
  private isStoring = false;
  private mostRecords = MOST.records;
  private readonly queue: PushQueue;

  constructor(
    private readonly store: Store,
    types: string,
  ) {
    this.queue = new PushQueue(store, types);
  }

  add(push: ValidPush, deadline: number): Promise<PushOutcome> {
    return new Promise((answer, fail) => {
      this.waiting.push({ push, deadline, answer, fail });
      if (!this.isStoring) void this.storeAll();
    });
  }

  private async storeAll(): Promise<void> {
    this.isStoring = true;
    while (this.waiting.length > 0) {
      if (this.queue.isBusy) await this.queue.waitForTurn(earliestOf(this.waiting)); // pushes that come by then are stored together
      await this.storeNext();
      this.queue.leave();
    }
    this.isStoring = false;
  }

  private async storeNext(): Promise<void> {
    const group = this.takeGroup();
    if (group.length === 1) return this.storeAlone(group[0]!);
    try {
      const pushes = group.map(({ push }) => push);
      const { outcomes, held } = await storeGroup(this.store, pushes, earliestOf(group), this.queue);
      this.keepPace(held);
      outcomes.forEach((outcome, index) => group[index]!.answer(outcome));
    } catch (error) {
      if (error instanceof WriteTimeout) this.failLate(group, error);
      else if (isUnavailable(error)) group.forEach(({ fail }) => fail(error));
      // One of them cannot be stored, and must not harm the others.
      else for (const one of group) await this.storeAlone(one);
    }
  }

  private async storeAlone({ push, deadline, answer, fail }: Waiting): Promise<void> {
    try {
      const { outcomes, held } = await storeGroup(this.store, [push], deadline, this.queue).catch(
        async (error: unknown) => {
          return {
            outcomes: [repeated(await receiptAfterConflict(this.store, push, error))],
            held: undefined,
          };
        },
      );
      this.keepPace(held);
      answer(outcomes[0]!);
    } catch (error) {
      fail(error);
    }
  }

  private keepPace(held?: HeldCounter): void {
    if (!held) return;
    const inTime = (held.records / held.ms) * MOST.heldMs;
    this.mostRecords = Math.min(MOST.records, Math.max(FEW_RECORDS, inTime));
  }

  /** Fails expired pushes, and puts the others back in front. */
  private failLate(group: Waiting[], error: WriteTimeout): void {
    const now = Math.max(performance.now(), earliestOf(group));
    for (const late of group.filter(({ deadline }) => deadline <= now)) late.fail(error);
    this.waiting.unshift(...group.filter(({ deadline }) => deadline > now));
  }

  /** Takes waiting pushes into a group, up to one that would exceed its limits or repeats a request of the group. */
  private takeGroup(): Waiting[] {
    const ids = new Set<string>();
    let count = 0;
    const end = this.waiting.findIndex(({ push }) => {
      count += recordCount(push);
      if (ids.size > 0 && (ids.size === MOST.pushes || count > this.mostRecords || ids.has(push.receiptId)))
        return true;
      ids.add(push.receiptId);
      return false;
    });
    return this.waiting.splice(0, end === -1 ? Infinity : end);
  }
}

const earliestOf = (group: Waiting[]) => Math.min(...group.map(({ deadline }) => deadline));
