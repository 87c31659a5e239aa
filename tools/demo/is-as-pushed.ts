import { isDeepStrictEqual } from 'node:util';
import type { HeldRecord } from './customer-records';

// Implements the contract independently of the code that renders pages.

const REFERENCES = ['account', 'contract', 'elevator', 'ticket', 'settlement', 'replaces_ticket'];

/** Whether a record that came in a page is, in every field, the one that was pushed (docs/contract.md C3). */
export function isAsPushed(held: HeldRecord, pushed: object, company: { id: string; name: string }): boolean {
  const { id, remote_id, company: of, source_updated_at, updated_at, ...rest } = held;
  const { created_at, ...own } = rest;
  const expected: Record<string, unknown> = { deleted_at: null, ...pushed };
  const made = expected['created_at'] === undefined ? own : rest;
  const back = { ...(withoutReferences(made) as object), id: remote_id, updated_at: source_updated_at };
  return (
    id === `${company.id}-${remote_id}` &&
    isDeepStrictEqual(of, company) &&
    [created_at, updated_at].every((time) => isInstant(time)) &&
    isDeepStrictEqual(back, expected)
  );
}

/** `"account": { "id": "42-1001", "remote_id": "1001" }` was pushed as `"account_id": "1001"`, at any depth. */
function withoutReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutReferences);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      if (!REFERENCES.includes(key)) return [key, withoutReferences(inner)];
      return [`${key}_id`, (inner as { remote_id: string } | null)?.remote_id ?? null];
    }),
  );
}

const isInstant = (time: unknown) =>
  typeof time === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(time);
