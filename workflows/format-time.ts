import { formatInstant } from '../domain/instants';

/** "2026-11-21 10:05:30", UTC: short enough for a cell of a table */
export function dateAndTime(instant: string): string {
  return instant.slice(0, 19).replace('T', ' ');
}

/** "10:05:30", UTC */
export function timeOfDay(instant: number): string {
  return formatInstant(instant).slice(11, 19);
}
