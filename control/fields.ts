import { msNow } from '../domain/time/elapsed';
import { Type } from '@sinclair/typebox';
import { ENTITY_TYPES, type EntityType, isEntityType } from '../domain/records/entity-types';
import { formatInstant } from '../domain/time/instants';
import { readPastInstant } from '../domain/time/past-instant';
import { legible, trimmed } from '../domain/text/pasted-text';
import { oneOf } from './answers';
import { type Field, flaw, type Flawed } from './deed';

export const entityType = () => oneOf(ENTITY_TYPES, 'accounts, contracts, tickets or settlements.');

/** An entity type that the channel carries. @param path what it says in the path, where the API has it there */
export const carriedType = (path?: string): Field<EntityType> => ({
  schema: entityType(),
  ...(path && { path: { says: path, sample: 'tickets' } }),
  gdx: { choices: ENTITY_TYPES },
  form: { label: 'Entity type', subject: 'The entity type', choices: ({ entity_types }) => entity_types },
  read: (given) =>
    isEntityType(given) ? given : flaw('must be accounts, contracts, tickets or settlements'),
  fits: (type, { entity_types }) =>
    entity_types.includes(type)
      ? undefined
      : flaw(`this channel carries only ${entity_types.join(', ')}`, { isWhole: true }),
  show: (type) => type,
});

// The value of a browser's date and time field. It has no offset, and is read as UTC like all times here.
const BROWSERS_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/;

function ofBrowser(typed: string): string {
  const text = legible(typed);
  const seconds = BROWSERS_TIME.exec(text)?.[1] ? '' : ':00';
  return BROWSERS_TIME.test(text) ? `${text}${seconds}Z` : text;
}

/** A time from 2016 on, up to five minutes ahead. */
export const pastInstant = (): Field<Date> => ({
  schema: Type.String({
    format: 'date-time',
    description: 'With an offset; from 2016-01-01T00:00:00Z to 5 minutes ahead.',
  }),
  gdx: { flags: '--timestamp <instant>', says: 'like 2026-10-01T00:00:00Z' },
  form: {
    label: 'Changed at or after (UTC)',
    subject: 'The time',
    input: { type: 'datetime-local', step: '1', required: true },
    typed: ofBrowser,
  },
  read(given) {
    if (given === undefined || given === null) return flaw('is required');
    const read = readPastInstant(given, msNow());
    return typeof read === 'string' ? flaw(read) : read;
  },
  show: formatInstant,
});

// `<company_id>-<remote_id>`: 64 and 128 characters.
const LONGEST_ID = 193;
const MOST_IDS = 1_000;

/** Whether it can be an id as the feed shows it. */
export const isFedId = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && Array.from(value).length <= LONGEST_ID;

const notFed = (at = '') => flaw('must be an id as the feed shows it', { at });

/** Records by their ids in the feed; undefined where none are named. */
export const recordIds = (): Field<string[] | undefined> => ({
  schema: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), {
      minItems: 1,
      maxItems: MOST_IDS,
      description: 'Of records, as the feed shows them. Either these or `account`.',
    }),
  ),
  gdx: { says: 'records, by their ids in the feed', isList: true },
  read(given) {
    if (given === undefined || given === null) return undefined;
    if (!Array.isArray(given) || given.length === 0 || given.length > MOST_IDS)
      return flaw(`must be a list of 1 to ${MOST_IDS} ids`);
    const wrong = given.findIndex((id) => !isFedId(id));
    return wrong === -1 ? (given as string[]) : notFed(`[${wrong}]`);
  },
  show: (ids) => ids?.join(', ') ?? '',
});

/** An account by its id in the feed; undefined where none is named. */
export const accountId = (): Field<string | undefined> => ({
  schema: Type.Optional(
    Type.String({ minLength: 1, description: 'The id of an account: all its records of the type.' }),
  ),
  gdx: { flags: '--account <id>', says: 'all of this account, like 42-1001' },
  form: {
    label: 'Account, as in the feed: 42-1001',
    subject: 'The account',
    input: { type: 'text', required: true, maxLength: LONGEST_ID },
    typed: trimmed,
  },
  read: (given) => (given === undefined || given === null ? undefined : isFedId(given) ? given : notFed()),
  show: (account) => account ?? '',
});

/** A field that forms alone have. @param read is given what was typed, without the spaces around it, or all of a list */
export const typedField = <T, Typed extends string | string[]>(
  form: NonNullable<Field<T>['form']>,
  read: (typed: Typed) => T | Flawed,
): Field<T> => ({
  schema: Type.Any(),
  gdx: {},
  form: { typed: trimmed, ...form },
  read: (given) => read(given as Typed),
  show: String,
});
