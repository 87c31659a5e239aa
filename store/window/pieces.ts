/** Positions above `after`, up to and including `upTo`. */
export interface Window {
  after: number;
  upTo: number;
}

/**
 * How much of a window one query reads: a piece, which grows over gaps without a limit, as after years of pushes by others a
 * channel's next record may lie 10^10 positions away. So no query costs what the whole window holds, on no server
 * (docs/decisions/0008).
 */
export class Pieces {
  private span: number;

  /** @param first the length of the first piece */
  constructor(private readonly first: number) {
    this.span = first;
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
