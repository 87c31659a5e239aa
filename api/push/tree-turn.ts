import { Semaphore } from 'async-mutex';

// As a tree, a body of nothing but small values takes some twenty times its bytes.
const UNIT = 1024 * 1024;
const UNITS = 16;

const room = new Semaphore(UNITS);

/**
 * Waits until the body's tree has room: of the largest there is one at a time, so that many pushes at once cannot
 * exhaust the memory. @returns the function that gives the room back, once
 */
export async function treeTurn(bytes: number): Promise<() => void> {
  const [, release] = await room.acquire(Math.min(UNITS, Math.max(1, Math.ceil(bytes / UNIT))));
  return release;
}
