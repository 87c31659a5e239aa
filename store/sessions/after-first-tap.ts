import { setTimeout } from 'node:timers/promises';

// Together about a second: the first tap needs a few writes.
const WAITS_MS = [0, 50, 100, 200, 300, 400];

/** What the first of two taps leaves behind. The second one may come while the first is still being answered. */
export async function afterFirstTap<T>(look: () => Promise<T | undefined>): Promise<T | undefined> {
  for (const wait of WAITS_MS) {
    if (wait > 0) await setTimeout(wait);
    const found = await look();
    if (found !== undefined) return found;
  }
  return undefined;
}
