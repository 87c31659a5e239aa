import type { Store } from '../store';

/** Positions above `after`, up to and including `upTo`. */
export interface Window {
  after: number;
  upTo: number;
}

/**
 * How much of a window one query reads: on mongod all of it, as a query ends at its limit. A stand-in would walk the whole
 * window for each page, so there it is a piece, which grows over gaps without a limit: after years of pushes by
 * others a channel's next record may lie 10^10 positions away.
 */
export class Pieces {
  private span: number;

  private constructor(private readonly first: number) {
    this.span = first;
  }

  /** @param first the length of the first piece, where there are pieces */
  static async of({ walksIndexes }: Store, first: number): Promise<Pieces> {
    return new Pieces((await walksIndexes()) ? first : Infinity);
  }

  /** The next piece of what is left of a window. */
  firstOf({ after, upTo }: Window): Window {
    return { after, upTo: Math.min(upTo, after + this.span) };
  }

  /** The piece that ends at a position. */
  endingAt(upTo: number): Window {
    return { after: Math.max(0, upTo - this.span), upTo };
  }

  grow(factor: number, most = Infinity): void {
    if (this.span < most) this.span = Math.min(this.span * factor, most);
  }

  /** As it began: behind a gap. */
  restart(): void {
    this.span = this.first;
  }
}
