import { noteTokenUse } from '../../store/callers/token-use';
import { hashToken } from '../../store/callers/tokens';
import type { Store } from '../../store/store';

const AGAIN_MS = 5 * 60_000;

export type NoteUse = (token: string) => void;

/** Keeps when each token was used last, about once in five minutes. No request waits for it or fails with it. */
export function createUseNotes(store: Store): NoteUse {
  const noted = new Map<string, number>();
  return (token) => {
    const [hash, now] = [hashToken(token), performance.now()];
    if (now - (noted.get(hash) ?? -Infinity) < AGAIN_MS) return;
    noted.set(hash, now);
    noteTokenUse(store, hash).catch(() => noted.delete(hash));
  };
}
