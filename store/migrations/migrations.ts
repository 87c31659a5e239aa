import { ensureCollections, missingCollections } from '../collections';
import type { Store } from '../connect';

/** One step of the schema. Once released it keeps its number for ever and its meaning too. */
export interface Migration {
  /** From 1, without gaps. */
  number: number;
  name: string;
  /** What `apply` would do, one line each; reads only. */
  plan(store: Store): Promise<string[]>;
  /** May be cut off and begun again, so it must be idempotent, in steps small enough to run beside pushes. */
  apply(store: Store): Promise<void>;
}

/**
 * In order. Collections and indexes need no number of their own: `migrate` makes those that collections.ts names.
 * A number is for data that changes its form.
 */
export const MIGRATIONS: readonly Migration[] = [
  {
    number: 1,
    name: 'collections and indexes',
    plan: missingCollections,
    apply: ensureCollections,
  },
];
