import { performance } from 'node:perf_hooks';
import { integrationTokens, type Integration } from '../../store/callers/integrations';
import type { Store } from '../../store/store';

// How long a process caches what a token opens; docs/contract.md A16 promises less than 5 s.
const KEPT_MS = 3_000;

interface Kept {
  found: Integration | Promise<Integration | null>;
  until: number;
}

/** Finds integrations by their tokens; many small pushes of one token ask the database once in three seconds. */
export function createIntegrationFinder(
  store: Store,
): (token: string, hash: string) => Integration | Promise<Integration | null> {
  const kept = new Map<string, Kept>(); // the oldest first
  return (token, hash) => {
    const now = performance.now();
    for (const [old, { until }] of kept) {
      if (until > now) break;
      kept.delete(old);
    }
    const known = kept.get(hash);
    if (known) return known.found;
    const found = integrationTokens.find(store, token);
    const looked: Kept = { found, until: now + KEPT_MS };
    kept.set(hash, looked);
    const forget = () => kept.get(hash) === looked && kept.delete(hash);
    found.then((integration) => (integration ? (looked.found = integration) : forget()), forget);
    return found;
  };
}
