import { atLeast, count } from './count';
import { type EntityType, WRAPPER_KEYS } from './entity-types';

/** What a reset sends again. Null, with a lower bound, where counting was cut off. */
export type Resent =
  { records: number; pages: number; at_least?: undefined } | { records: null; pages: null; at_least: number };

/** "12,304 tickets, about 13 pages", or "at least 120,000 tickets" */
export const describeResent = (type: EntityType, resent: Resent): string =>
  resent.records === null
    ? atLeast(count(resent.at_least, WRAPPER_KEYS[type], type), true)
    : `${count(resent.records, WRAPPER_KEYS[type], type)}, about ${count(resent.pages, 'page')}`;
