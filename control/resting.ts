import { setTimeout } from 'node:timers/promises';

/** Begins work that others wait behind. @returns pauses for twice the time since, so that they wait for no more than a third of it */
export function resting(): () => Promise<void> {
  const began = performance.now();
  return () => setTimeout(2 * (performance.now() - began));
}
