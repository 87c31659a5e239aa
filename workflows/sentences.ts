import { formatInstant } from '../domain/instants';

/** "1 record", "12,304 records" */
export function count(amount: number, noun: string): string {
  return `${amount.toLocaleString('en-US')} ${noun}${amount === 1 ? '' : 's'}`;
}

/** "2026-11-21 10:05:30", UTC: short enough for a cell of a table */
export function dateAndTime(instant: string): string {
  return instant.slice(0, 19).replace('T', ' ');
}

/** "10:05:30", UTC */
export function timeOfDay(instant: number): string {
  return formatInstant(instant).slice(11, 19);
}
