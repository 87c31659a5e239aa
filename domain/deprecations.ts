/** A part of the API that will be removed, or was removed (docs/deprecations.md). Its row stays after the removal. */
export interface Deprecation {
  /** Its line in test/openapi/published.txt: `GET /api/v1/check`, `GET /api/v1/check?limit` or `Ticket.truck_driver`. */
  what: string;
  /** The day of the announcement, as 2027-01-15. No new client should use it from then on. */
  announced: string;
  /** The first day on which it may be missing, at least `MONTHS_AHEAD` later. */
  ends: string;
  /** The replacement, as a sentence without a full stop. */
  instead: string;
}

/** The shortest time from the announcement to the end. */
export const MONTHS_AHEAD = 6;

export const DEPRECATIONS: readonly Deprecation[] = [];

/** Whether the announcement came in time. */
export function isAnnouncedInTime({ announced, ends }: Deprecation): boolean {
  const earliest = new Date(announced);
  earliest.setUTCMonth(earliest.getUTCMonth() + MONTHS_AHEAD);
  return new Date(ends) >= earliest;
}
