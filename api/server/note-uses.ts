import { noteTokenUse } from '../../store/callers/token-use';
import type { Store } from '../../store/store';

const AGAIN_MS = 5 * 60_000;

/** @param hash of the token */
export type NoteUse = (hash: string) => void;

/** Keeps when each token was used last, about once in five minutes. No request waits for it or fails with it. */
export function createUseNotes(store: Store): NoteUse {
  const noted = new Map<string, number>();
  return (hash) => {
    const now = performance.now();
    if (now - (noted.get(hash) ?? -Infinity) < AGAIN_MS) return;
    noted.set(hash, now);
    noteTokenUse(store, hash).catch(() => noted.delete(hash));
  };
}
