import { type EntityType, WRAPPER_KEYS } from './entity-types';

/** "1 record", "12,304 records", "2 deliveries" */
export function count(amount: number, one: string, many = `${one}s`): string {
  return `${amount.toLocaleString('en-US')} ${amount === 1 ? one : many}`;
}

/** "at least 12,304 records" where counting was cut off */
export const atLeast = (counted: string, isCutOff = false) => (isCutOff ? `at least ${counted}` : counted);

const number = (value: number) => value.toLocaleString('en-US');

/** "page 3 of 7, 3,000 of 6,512 records, last answer 200 in 84 ms": a delivery's progress, for an operator. */
export function progressLine(
  window: { records: number; page_size: number; catch_up: boolean },
  done: { pages: number; records: number; set_aside: number },
  last: string | null,
): string {
  const pages = Math.ceil(window.records / window.page_size);
  // The pages of a catch-up are counted account by account.
  const page = window.catch_up ? count(done.pages, 'page') : `page ${number(done.pages)} of ${number(pages)}`;
  const line = `${page}, ${number(done.records)} of ${number(window.records)} records`;
  const setAside = done.set_aside > 0 ? `, ${number(done.set_aside)} set aside` : '';
  return last ? `${line}${setAside}, last answer ${last}` : line + setAside;
}

/** "page 3" or "pages 1 to 7": the pages left to deliver. */
export function pageRange(first: number, window: { records: number; page_size: number }): string {
  const last = Math.max(first, Math.ceil(window.records / window.page_size));
  return first === last ? `page ${number(first)}` : `pages ${number(first)} to ${number(last)}`;
}

/** The amount that a reset sends again. Null where counting was cut off; then there is a lower bound. */
export type Resent =
  | { records: number; pages: number; at_least?: undefined }
  | { records: null; pages: null; at_least: number };

/** "12,304 tickets, about 13 pages", or "at least 120,000 tickets" */
export const describeResent = (type: EntityType, resent: Resent): string =>
  resent.records === null
    ? atLeast(count(resent.at_least, WRAPPER_KEYS[type], type), true)
    : `${count(resent.records, WRAPPER_KEYS[type], type)}, about ${count(resent.pages, 'page')}`;
