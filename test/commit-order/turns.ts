import { setTimeout } from 'node:timers/promises';

// One that waits for another (a counter that is held) does not come to its next step; the others go on.
const LATE_MS = 1_500;

// An order may never choose the one that holds what another tries to take again and again. A process does not stand still for as
// many steps of others.
const MOST_OVERTAKEN = 200;

/** Whose turn it is, counted from the one that has waited longest, and how many steps it takes before the next choice. */
export interface Turn {
  who: number;
  steps: number;
}

/**
 * Lets several actors take one step at a time: the same turns give the same interleaving. Many steps in a row are
 * what lets a whole reset fit between an answer and the move of the marker.
 */
export class Turns {
  private readonly waiting = new Map<string, () => void>();
  private readonly acting = new Set<string>();
  /** Those that wait for another: nobody waits for them again until they come to a step. */
  private readonly late = new Set<string>();
  private count = 0;
  /** How many steps others have taken since the one that waits longest could have gone. */
  private overtaken = { name: '', times: 0 };
  private current = { name: '', left: 0 };
  private changed = () => {};

  constructor(private readonly turns: readonly Turn[]) {}

  /** Called by an actor before each of its steps. */
  step(actor: string): Promise<void> {
    if (this.waiting.has(actor)) throw new Error(`${actor} takes two steps at once`);
    return new Promise((go) => {
      this.late.delete(actor);
      this.waiting.set(actor, go);
      this.changed();
    });
  }

  async play(actors: Record<string, () => Promise<void>>): Promise<void> {
    const all = Object.entries(actors).map(async ([name, act]) => {
      this.acting.add(name);
      await this.step(name);
      try {
        await act();
      } finally {
        this.acting.delete(name);
        this.late.delete(name);
        this.changed();
      }
    });
    const playing = Promise.all(all);
    playing.catch(() => {});
    while (this.acting.size > 0) {
      await this.everybodyWaits();
      this.letOneGo();
    }
    await playing;
  }

  private async everybodyWaits(): Promise<void> {
    const deadline = Date.now() + LATE_MS;
    while (this.waiting.size + this.late.size < this.acting.size || this.waiting.size === 0) {
      if (this.acting.size === 0) return;
      const changed = new Promise<void>((resolve) => (this.changed = resolve));
      const left = deadline - Date.now();
      if (this.waiting.size === 0) await changed;
      else if (left <= 0) {
        for (const name of this.acting) if (!this.waiting.has(name)) this.late.add(name);
        return;
      } else await Promise.race([changed, setTimeout(left, undefined, { ref: false })]);
    }
  }

  private letOneGo(): void {
    const names = [...this.waiting.keys()];
    if (names.length === 0) return;
    if (this.current.left <= 0 || !this.waiting.has(this.current.name)) {
      const { who, steps } = this.turns[this.count++ % this.turns.length]!;
      this.current = { name: names[who % names.length]!, left: steps };
    }
    const [longest] = names;
    if (this.overtaken.name !== longest) this.overtaken = { name: longest!, times: 0 };
    if (++this.overtaken.times > MOST_OVERTAKEN) this.current = { name: longest!, left: 1 };
    const { name } = this.current;
    this.current.left -= 1;
    const go = this.waiting.get(name)!;
    this.waiting.delete(name);
    go();
  }
}
