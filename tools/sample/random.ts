/**
 * A small seeded source of chance (FNV-1a into mulberry32). The same seed tells the same story on every machine,
 * so only exact arithmetic is used: no logarithm or cosine, whose last bit may differ from one build to the next.
 */
export class Random {
  private state: number;

  constructor(seed: number | string) {
    this.state = 0x811c9dc5;
    for (const character of String(seed)) {
      this.state = Math.imul(this.state ^ character.codePointAt(0)!, 0x01000193);
    }
  }

  /** From 0 up to, but never, 1. */
  fraction(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  }

  /** A whole number from lowest to highest, both included. */
  integer(lowest: number, highest: number): number {
    return lowest + Math.floor(this.fraction() * (highest - lowest + 1));
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new RangeError('nothing to pick from');
    return list[this.integer(0, list.length - 1)]!;
  }

  /** Normally distributed: the sum of twelve fractions has a deviation of 1 and never strays past 6. */
  normal(mean: number, deviation: number): number {
    let sum = -6;
    for (let draw = 0; draw < 12; draw++) sum += this.fraction();
    return mean + sum * deviation;
  }
}
