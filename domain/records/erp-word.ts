import { msUntil } from '../time/elapsed';
import { parseInstant } from '../time/instants';
import { DAY_MS } from '../time/spans';
import type { EntityType } from './entity-types';
import { FULL_DATE } from './schemas/formats';

/** A day that the ERP says it has pushed everything of a type up to, as `2026-11-30`. */
export type ErpWord = string;

/** The member of a command of a push that says it. */
export const WORD = 'complete_through';

/** What an ERP says of each type. */
export type Words = Readonly<Partial<Record<EntityType, ErpWord>>>;

/** Of each type the position up to which all is confirmed. */
export type Passed = Partial<Record<EntityType, number>>;

const FIRST = '2000-01-01';

/** @returns what is wrong with it; undefined where it is a word */
export function wrongWord(given: unknown): string | undefined {
  const isWritten = typeof given === 'string' && FULL_DATE.test(given);
  const day = isWritten ? parseInstant(`${given}T00:00:00Z`) : undefined;
  if (!isWritten || day === undefined || given < FIRST) return 'must be a day, such as 2026-11-30';
  // Somewhere it is tomorrow already.
  if (msUntil(new Date(day)) > DAY_MS)
    return 'must not lie in the future: it says that all up to that day was pushed';
  return undefined;
}

/** `tickets 2026-11-30, settlements 2026-11-28` */
export const sayWords = (words: Words): string =>
  Object.entries(words)
    .map(([type, day]) => `${type} ${day}`)
    .join(', ');
