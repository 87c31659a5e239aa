import { randomUUID } from 'node:crypto';

/**
 * For a test whose worker watches over all channels of its namespace: to its reconciler those of other tests are
 * channels of which its database knows nothing. The worker makes the namespace.
 */
export function ownTemporalNamespace(name: string): string {
  return (process.env.TEMPORAL_NAMESPACE = `${name}-${randomUUID().slice(0, 8)}`);
}
