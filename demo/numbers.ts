import type { EntityType } from '../domain/entity-types';

/** What the story comes to. Records and pages, unless a name says otherwise. */
export interface Numbers {
  pushed: { requests: number; records: number };
  elevators: { acknowledged: number; stored: number };
  /** "tickets 3 of 3: 500": what should have come first, and what came. */
  first_delivery: { expected: string[]; received: string[] };
  quiet: { runs: number; requests: number };
  changes: { pushed: number; changed: number; received: number };
  outage: { refused: number; attempts: number; received: number };
  reset: {
    expected: number;
    dry_run: { records: number; pages: number };
    promised: { records: number; pages: number };
    received: { records: number; pages: number };
  };
  /** A farmer with two accounts shares one of them, then stops. */
  sharing: {
    /** Accounts that the page offered, and that it had ticked by itself. */
    page: { offered: number; ticked: number };
    /** What the account had before the grant. */
    earlier: { expected: number; received: number };
    /** One ticket of each account, while one is shared, and when none is any more. */
    later: { pushed: number; received: number };
    after_revoke: { pushed: number; received: number };
    /** Records the lender holds of anybody else, and those that are not as they were pushed. */
    strangers: number;
    differing: number;
    signatures: Signatures;
  };
  signatures: Signatures;
  entity_types: Record<EntityType, Tally>;
}

/** Of the pages that one customer got. */
export interface Signatures {
  verified: number;
  wrong: number;
  pages: number;
}

/** One row of the closing table. A change is one record at one content. */
export interface Tally {
  /** Changes that the service answered with 204. */
  acknowledged: number;
  /** Changes that the customer received for the first time. */
  delivered: number;
  /** Changes that it received again, and how many of those the reset is to cause. */
  repeated: number;
  repeats_expected: number;
  /** Records that it does not hold as they were last acknowledged, compared field by field. */
  missing: number;
}
