import { Semaphore } from 'async-mutex';

// A parsed body takes up to 200 MB, by its values or by its bytes. The largest have all slots.
const SLOTS = 16;
const SLOT_BYTES = 1024 * 1024;
const SLOT_VALUES = 62_500;

const large = new Semaphore(SLOTS);
// What one slot is enough for has slots of its own, and of these one caller has half.
const small = new Semaphore(8);
const SMALL_OF_CALLER = 4;
const ofCaller = new Map<string, Semaphore>();

/**
 * Bounds the memory of parsed bodies: the largest are parsed one at a time. A small one waits neither for large ones nor for
 * many of another caller (docs/contract.md A8).
 * @returns the function that frees the slots
 */
export async function acquireParseSlots(caller: string, bytes: number, values: number): Promise<() => void> {
  const slots = Math.ceil(Math.max(bytes / SLOT_BYTES, values / SLOT_VALUES));
  if (slots > 1) return (await large.acquire(Math.min(SLOTS, slots)))[1];
  const own = ofCaller.get(caller) ?? new Semaphore(SMALL_OF_CALLER);
  ofCaller.set(caller, own);
  const [, leave] = await own.acquire();
  const [, free] = await small.acquire();
  return () => {
    free();
    leave();
  };
}
