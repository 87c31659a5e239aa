/**
 * The ids of a file, each with a mark above 0, such as its line. It keeps hashes of 64 bits, which take a few bytes for
 * an id of any length. One pair in 2^64 is mistaken for equal.
 */
export class IdSet {
  private capacity = 1 << 12;
  private one = new Uint32Array(this.capacity);
  private other = new Uint32Array(this.capacity);
  private marks = new Uint32Array(this.capacity);
  size = 0;

  /** Adds an id. @returns the mark with which it was added before */
  add(id: string, mark: number): number | undefined {
    if (this.size * 2 > this.capacity) this.grow();
    const [one, other] = hashesOf(id);
    const at = this.placeOf(one, other);
    if (this.marks[at] !== 0) return this.marks[at];
    [this.one[at], this.other[at], this.marks[at]] = [one, other, mark];
    this.size++;
    return undefined;
  }

  /** The mark of an id; 0 when it was not added. */
  markOf = (id: string): number => this.marks[this.placeOf(...hashesOf(id))]!;

  private placeOf(one: number, other: number): number {
    let at = one & (this.capacity - 1);
    while (this.marks[at] !== 0 && (this.one[at] !== one || this.other[at] !== other))
      at = (at + 1) & (this.capacity - 1);
    return at;
  }

  private grow(): void {
    const { one, other, marks } = this;
    this.capacity *= 2;
    [this.one, this.other, this.marks] = [
      new Uint32Array(this.capacity),
      new Uint32Array(this.capacity),
      new Uint32Array(this.capacity),
    ];
    for (let from = 0; from < marks.length; from++) {
      if (marks[from] === 0) continue;
      const at = this.placeOf(one[from]!, other[from]!);
      [this.one[at], this.other[at], this.marks[at]] = [one[from]!, other[from]!, marks[from]!];
    }
  }
}

/** Hashes a text twice, to 32 bits each. */
export function hashesOf(text: string): [number, number] {
  let [one, other] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    one = Math.imul(one ^ code, 2_654_435_761);
    other = Math.imul(other ^ code, 1_597_334_677);
  }
  one = Math.imul(one ^ (one >>> 16), 2_246_822_507) ^ Math.imul(other ^ (other >>> 13), 3_266_489_909);
  other = Math.imul(other ^ (other >>> 16), 2_246_822_507) ^ Math.imul(one ^ (one >>> 13), 3_266_489_909);
  return [one >>> 0, other >>> 0];
}
