/** Something of the API that is going, or has gone (docs/deprecations.md). A row stays when it has gone. */
export interface Deprecation {
  /** As test/openapi/published.txt has it: `GET /api/v1/check`, `GET /api/v1/check?limit` or `Ticket.truck_driver`. */
  what: string;
  /** The day on which it is announced, as 2027-01-15: from then on nobody should begin to use it. */
  announced: string;
  /** The day from which it may be missing: `MONTHS_AHEAD` later, or more. */
  ends: string;
  /** What to use, as a sentence without a full stop. */
  instead: string;
}

/** How long before its end it is announced, at least. */
export const MONTHS_AHEAD = 6;

export const DEPRECATIONS: readonly Deprecation[] = [];

/** Whether the announcement came in time. */
export function isAnnouncedInTime({ announced, ends }: Deprecation): boolean {
  const earliest = new Date(announced);
  earliest.setUTCMonth(earliest.getUTCMonth() + MONTHS_AHEAD);
  return new Date(ends) >= earliest;
}
