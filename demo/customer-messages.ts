import type { EntityType } from '../domain/entity-types';

// What the demo and its customer's process say to each other. Records themselves come by HTTP only.

export type Order =
  | { do: 'trust'; signingSecret: string; authorization: string }
  | { do: 'go down' }
  | { do: 'come up' }
  | { do: 'lose'; entity_type: EntityType; since: string }
  | { do: 'report' };

/** One page, as the customer saw it. */
export interface PageSeen {
  entity_type: EntityType;
  page: number;
  pages: number;
  records: number;
  status: number;
  /** From the request's first byte to the answer. */
  ms: number;
  /** The workflow that sent it. */
  delivery: string;
}

/** A record as the customer holds it, without its wrapper. */
export interface HeldRecord {
  id: string;
  remote_id: string;
  updated_at: string;
  [field: string]: unknown;
}

/** What the customer has come to hold, and how. */
export interface Report {
  held: Record<EntityType, HeldRecord[]>;
  /** Changes that came for the first time; a change is one record at one `updated_at`. */
  delivered: Record<EntityType, number>;
  /** Changes that had come before. */
  repeated: Record<EntityType, number>;
  signatures: { verified: number; wrong: number };
}

export type News = { port: number } | { seen: PageSeen } | { done: Report | null };
