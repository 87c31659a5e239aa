import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import type { Asker } from '../control/record-action';

/** Whoever is at this terminal, for what is recorded of an action. */
export function askerWith<R extends string | null>(reason: R): Asker & { reason: R } {
  return { by: userName(), via: 'gdx', reason, request_id: randomUUID(), action_id: randomUUID() };
}

// A container's user may have no name.
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown';
  }
}
