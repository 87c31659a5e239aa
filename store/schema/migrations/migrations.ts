import { ensureCollections, missingCollections } from '../collections';
import type { Store } from '../../store';

/** One step of the schema. Its number and meaning never change once released. */
export interface Migration {
  /** From 1, without gaps. */
  number: number;
  name: string;
  /** What `apply` would do, one line each; reads only. */
  plan(store: Store): Promise<string[]>;
  /** May be interrupted and restarted, so it must be idempotent, in steps small enough to run beside pushes. */
  apply(store: Store): Promise<void>;
}

/**
 * In order. Collections and indexes need no migration: `migrateStore` creates those in collections.ts. A migration is
 * for stored data that changes its form.
 */
export const MIGRATIONS: readonly Migration[] = [
  {
    number: 1,
    name: 'collections and indexes',
    plan: missingCollections,
    apply: ensureCollections,
  },
];
