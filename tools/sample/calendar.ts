export const DAY = 24 * 60 * 60 * 1000;
export const MINUTE = 60 * 1000;

/** 2026-09-13 */
export function dateText(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10);
}

/** 2026-09-13T15:04:05.000Z */
export function instantText(instant: number): string {
  return new Date(instant).toISOString();
}

/** 260913, as elevators number their papers. */
export function dayCode(instant: number): string {
  return dateText(instant).slice(2).replaceAll('-', '');
}
