import { formatInstant } from '../domain/instants';

/** "1 record", "12,304 records" */
export function count(amount: number, noun: string): string {
  return `${amount.toLocaleString('en-US')} ${noun}${amount === 1 ? '' : 's'}`;
}

/** "10:05:30", UTC */
export function timeOfDay(instant: number): string {
  return formatInstant(instant).slice(11, 19);
}
