import { setFlagsFromString } from 'node:v8';

// Of what lives, before all of it is looked at for garbage.
const IDLE_PERCENT = 15;
const BY_V8 = 0;
// Slices follow each other.
const IDLE_MS = 10_000;

let delivering = 0;
let idle: NodeJS.Timeout | undefined;

const growBy = (percent: number) => setFlagsFromString(`--heap-growing-percent=${percent}`);

/** While no page is delivered, V8 keeps little garbage: channels that wait make some, of which a large heap would hold several times what lives. */
export const keepIdleHeapSmall = () => growBy(IDLE_PERCENT);

/**
 * Leaves the growth of the heap to V8 while pages are delivered. Their bytes lie outside of the heap and count into its limit, so that a
 * small heap is searched for garbage every six pages, which took a fifth of the CPU of a page (docs/decisions/0033).
 */
export async function withHeapForPages<T>(deliver: () => Promise<T>): Promise<T> {
  clearTimeout(idle);
  growBy(BY_V8);
  delivering += 1;
  try {
    return await deliver();
  } finally {
    delivering -= 1;
    if (delivering === 0) idle = setTimeout(keepIdleHeapSmall, IDLE_MS).unref();
  }
}
