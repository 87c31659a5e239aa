import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { keepIdleHeapSmall } from '../../worker/idle-heap';

const LIVING = 300_000;
const PAGES = 1_500;
const IN_FLIGHT = 8;
const PAGE_BYTES = 700_000;
const RECORDS = 2_000;

let collections = 0;
const living = Array.from({ length: LIVING }, (_, id) => ({ id, text: `record ${id}` }));

/** Makes pages as a worker does, a few at a time, with their bytes outside of the heap. @returns how often all of the heap was searched */
async function makePages(): Promise<number> {
  const before = collections;
  const inFlight: unknown[] = [];
  for (let page = 0; page < PAGES; page++) {
    const records = Array.from({ length: RECORDS }, (_, id) => ({ id, text: `${page} ${id}` }));
    inFlight[page % IN_FLIGHT] = { bytes: Buffer.alloc(PAGE_BYTES, page), records };
    await setTimeout(0);
  }
  return collections - before;
}

async function count(): Promise<void> {
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & { detail: { kind: number } })[])
      if (entry.detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) collections += 1;
  }).observe({ entryTypes: ['gc'] });
  const deliverPages = keepIdleHeapSmall(makePages);
  globalThis.gc!(); // V8 begins without a limit
  const idle = await makePages();
  const delivering = await deliverPages(undefined);
  process.stdout.write(JSON.stringify({ idle, delivering, living: living.length }));
}

void count();
