import type { Store } from '../../store/store';
import { rewire } from '../commit-order/rewire';

// mulberry32: the same kills for the same seed.
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Dies at its call of this number, before or after the database has taken it, and does nothing from then on. */
export function dyingAt(
  store: Store,
  call: number,
  isAfter: boolean,
): { through: Store; calls: () => number } {
  let calls = 0;
  const through = rewire(store, async ({ run }) => {
    calls += 1;
    if (calls > call || (calls === call && !isAfter)) throw new Error('killed');
    const result = await run();
    if (calls === call) throw new Error('killed');
    return result;
  });
  return { through, calls: () => calls };
}
