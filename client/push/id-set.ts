const SLOT = 3;

/**
 * The ids of a file, each with a mark above 0, such as its line. It keeps hashes of 64 bits, which take a few bytes for
 * an id of any length. One pair in 2^64 is mistaken for equal.
 */
export class IdSet {
  /** Of each id both hashes and its mark, side by side; a free slot has the mark 0. */
  private slots = new Uint32Array(SLOT * 2 ** 12);
  private size = 0;

  /** Gives an id its mark. @returns the one before; 0 when it had none */
  mark(id: string, mark: number): number {
    if (this.size * 2 * SLOT > this.slots.length) this.grow();
    const [one, other] = hashesOf(id);
    const at = this.placeOf(one, other);
    const before = this.slots[at + 2]!;
    if (before === 0) this.size++;
    [this.slots[at], this.slots[at + 1], this.slots[at + 2]] = [one, other, mark];
    return before;
  }

  bytes = (): Buffer => Buffer.from(this.slots.buffer, this.slots.byteOffset, this.slots.byteLength);

  /** @param bytes as `bytes` gave them; others make an empty set */
  static of(bytes: Buffer): IdSet {
    const [set, slots] = [new IdSet(), new Uint32Array(Uint8Array.from(bytes).buffer, 0, bytes.length >> 2)];
    if (slots.length < set.slots.length || slots.length % SLOT !== 0) return set;
    set.slots = slots;
    for (let at = 2; at < slots.length; at += SLOT) if (slots[at] !== 0) set.size++;
    return set;
  }

  /** The mark of an id; 0 when it has none. */
  markOf = (id: string): number => this.slots[this.placeOf(...hashesOf(id)) + 2]!;

  private placeOf(one: number, other: number): number {
    const { slots } = this;
    let at = (one * SLOT) % slots.length;
    while (slots[at + 2] !== 0 && (slots[at] !== one || slots[at + 1] !== other))
      at = (at + SLOT) % slots.length;
    return at;
  }

  private grow(): void {
    const before = this.slots;
    this.slots = new Uint32Array(2 * before.length);
    for (let from = 0; from < before.length; from += SLOT) {
      if (before[from + 2] === 0) continue;
      this.slots.set(before.subarray(from, from + SLOT), this.placeOf(before[from]!, before[from + 1]!));
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
