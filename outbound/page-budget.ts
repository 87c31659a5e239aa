const MIB = 1024 * 1024;
// Bytes of records. A page's body takes as much again while it is posted.
const LIMITS = { answering: 96 * MIB, unanswered: 32 * MIB };
const WAIT_MS = 10_000;

/** The assumed size of a record until pages of the channel show it. */
export const RECORD_BYTES = 1_024;

/** The share of one page. */
export interface PageLease {
  /** Grows the share to `bytes`. @returns false when the budget is full */
  growTo(bytes: number): boolean;
  /** Gives back what the page does not need. */
  shrinkTo(bytes: number): void;
  /** Gives back all of it. */
  end(): void;
}

/**
 * Bounds the bytes of all pages in flight in a process, however many deliveries run and however large records are.
 * Customers that did not answer share a part of their own, so that their pages, held until the time limit, leave the
 * rest to the others (docs/decisions/0012). It is not built on the semaphore of async-mutex, which walks
 * through every unit of a weight.
 */
export class PageBudget {
  private free: number;
  private readonly waiting = new Set<{ bytes: number; admit: () => void }>();

  constructor(
    private readonly limit: number,
    private readonly waitMs = WAIT_MS,
  ) {
    this.free = limit;
  }

  /**
   * Takes a share of about `bytes`, the expected size of a page, in order of arrival.
   * @returns undefined if there was no room in time
   */
  async take(bytes: number): Promise<PageLease | undefined> {
    const share = this.shareOf(bytes);
    return (await this.takes(share)) ? this.lease(share) : undefined;
  }

  /** Takes a share at once, or none. It never overtakes pages that wait. */
  takeIfFree(bytes: number): PageLease | undefined {
    const share = this.shareOf(bytes);
    return this.takesAtOnce(share) ? this.lease(share) : undefined;
  }

  private readonly shareOf = (bytes: number) => Math.min(Math.max(1, Math.ceil(bytes)), this.limit);

  private lease(share: number): PageLease {
    let held = share;
    const change = (to: number) => {
      this.give(held - to);
      held = to;
    };
    return {
      growTo: (to) => {
        if (to - held > this.free) return false;
        if (to > held) change(to);
        return true;
      },
      shrinkTo: (to) => to < held && change(to),
      end: () => change(0),
    };
  }

  private takesAtOnce(bytes: number): boolean {
    if (this.waiting.size > 0 || bytes > this.free) return false;
    this.free -= bytes;
    return true;
  }

  private takes(bytes: number): Promise<boolean> | boolean {
    if (this.takesAtOnce(bytes)) return true;
    return new Promise((decide) => {
      const late = setTimeout(() => {
        this.waiting.delete(waiter);
        this.give(0); // the pages behind it may need less
        decide(false);
      }, this.waitMs);
      const waiter = { bytes, admit: () => (clearTimeout(late), decide(true)) };
      this.waiting.add(waiter);
    });
  }

  private give(bytes: number): void {
    this.free += bytes;
    for (const waiter of this.waiting) {
      if (waiter.bytes > this.free) return;
      this.waiting.delete(waiter);
      this.free -= waiter.bytes;
      waiter.admit();
    }
  }
}

/** The budgets of one process. */
export const createPageBudgets = () => ({
  answering: new PageBudget(LIMITS.answering),
  unanswered: new PageBudget(LIMITS.unanswered),
});

export type PageBudgets = ReturnType<typeof createPageBudgets>;
