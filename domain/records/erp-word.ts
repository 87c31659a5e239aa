import type { EntityType } from './entity-types';
import { DAY_MS } from '../time/spans';
import { msUntil } from '../time/elapsed';

/** A day that the ERP says it has pushed everything of a type up to, as `2026-11-30`. */
export type ErpWord = string;

/** Of each type the position up to which all is confirmed. */
export type Passed = Partial<Record<EntityType, number>>;

export const DAY = /^\d{4}-\d\d-\d\d$/;
const FIRST = '2000-01-01';

/** @returns what is wrong with it; undefined where it is a word */
export function wrongWord(given: unknown): string | undefined {
  const day = typeof given === 'string' && DAY.test(given) ? given : '';
  const at = Date.parse(`${day}T00:00:00Z`);
  const isDay = day >= FIRST && !Number.isNaN(at) && new Date(at).toISOString().startsWith(day);
  if (!isDay) return 'must be a day, such as 2026-11-30';
  // Somewhere it is tomorrow already.
  if (msUntil(new Date(at)) > DAY_MS)
    return 'must not lie in the future: it says that all up to that day was pushed';
  return undefined;
}

/** `tickets 2026-11-30, settlements 2026-11-28` */
export const sayWords = (words: Partial<Record<string, ErpWord>>): string =>
  Object.entries(words)
    .map(([type, day]) => `${type} ${day}`)
    .join(', ');
