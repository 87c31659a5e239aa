import { setFlagsFromString } from 'node:v8';

// By how much garbage may come to what lives before V8 searches the whole heap.
const IDLE_PERCENT = 15;
const BY_V8 = 0;
// Slices of a delivery follow each other.
const IDLE_MS = 10_000;

const growBy = (percent: number) => setFlagsFromString(`--heap-growing-percent=${percent}`);

/**
 * Keeps the heap of the process small while it delivers no page: channels that wait make garbage, of which a large heap would hold several
 * times what lives. While pages are delivered V8 sets the pace: their bytes lie outside of the heap and count into its limit, so that
 * a small heap is searched every six pages, for a fifth of a page's CPU (docs/decisions/0033).
 * @returns the same activity, which tells when the process delivers
 */
export function keepIdleHeapSmall<Input, Result>(deliverPages: (input: Input) => Promise<Result>) {
  let delivering = 0;
  let idle: NodeJS.Timeout | undefined;
  growBy(IDLE_PERCENT);
  return async (input: Input): Promise<Result> => {
    clearTimeout(idle);
    growBy(BY_V8);
    delivering += 1;
    try {
      return await deliverPages(input);
    } finally {
      delivering -= 1;
      if (delivering === 0) idle = setTimeout(growBy, IDLE_MS, IDLE_PERCENT).unref();
    }
  };
}
