import type { Store } from '../store';
import { isUnavailable, WriteTimeout } from '../unavailable';
import { receiptAfterConflict } from './push-receipts';
import { PushQueue } from './push-queue';
import { type PushOutcome, recordCount, type TimedPush, type ValidPush, typesOf } from './valid-push';
import { timeLimit } from './time-limit';
import { repeated, type StoredGroup, storeGroup } from './store-group';

// Limits of one transaction, and of a single push. A group is also limited to what its line recently stored within `heldMs`,
// because everybody waits while it holds the counter.
const MOST = { pushes: 64, records: 5_000, heldMs: 200 };
// No group is limited below this: of a smaller transaction the commit takes most of the time, even for one record.
const FEW_RECORDS = 500;

/**
 * Stores a push, all or nothing. Those that wait for the same entity types go together in the next
 * transaction, each answered for itself (docs/architecture.md#commit-order, rule 1).
 * @param limit since it arrived
 * @throws WriteTimeout, or another error for which `isUnavailable` is true, when it could not be stored in time
 */
export function storePush(store: Store, push: ValidPush, limit = timeLimit(store)): Promise<PushOutcome> {
  const types = typesOf([push]).join('+');
  const lines = linesOf.get(store) ?? new Map<string, PushLine>();
  linesOf.set(store, lines);
  const line = lines.get(types) ?? new PushLine(store, types);
  lines.set(types, line);
  return line.add({ ...push, limit });
}

const linesOf = new WeakMap<Store, Map<string, PushLine>>();

interface Waiting {
  push: TimedPush;
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

  add(push: TimedPush): Promise<PushOutcome> {
    return new Promise((answer, fail) => {
      this.waiting.push({ push, answer, fail });
      if (!this.isStoring) void this.storeAll();
    });
  }

  private async storeAll(): Promise<void> {
    this.isStoring = true;
    while (this.waiting.length > 0) {
      if (this.queue.isBusy) await this.queue.waitForTurn(); // pushes that come by then are stored together
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
      this.settle(group, await storeGroup(this.store, pushes, this.queue));
    } catch (error) {
      if (isUnavailable(error)) group.forEach(({ fail }) => fail(error));
      // One of them cannot be stored, and must not harm the others.
      else for (const one of group) await this.storeAlone(one);
    }
  }

  private async storeAlone(one: Waiting): Promise<void> {
    try {
      const stored = await storeGroup(this.store, [one.push], this.queue).catch(async (error: unknown) => ({
        outcomes: [repeated(await receiptAfterConflict(this.store, one.push, error))],
      }));
      this.settle([one], stored);
    } catch (error) {
      one.fail(error);
    }
  }

  private settle(group: Waiting[], { outcomes, pace }: StoredGroup): void {
    if (pace) this.mostRecords = Math.min(MOST.records, Math.max(FEW_RECORDS, pace * MOST.heldMs));
    outcomes.forEach((outcome, index) => {
      const { answer, fail } = group[index]!;
      if (outcome instanceof WriteTimeout) fail(outcome);
      else answer(outcome);
    });
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
