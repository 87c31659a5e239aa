import type { TObject, TSchema } from '@sinclair/typebox';
import { digitsOfPhone } from './parse-phone';
import { isJsonObject } from './strict-json';
import { accountPhone, accountSchema } from './schemas/account';

type Fields = Readonly<Record<string, unknown>>;

/** What a value stands for; undefined where it says nothing and its field is left out. */
type Normalize = (value: unknown) => unknown;

/**
 * The record as its schema means it: what is null or "" and not required is left out, so that it is stored as if it had
 * not been sent (docs/contract.md E16), and an account's phones are their digits (F19). What the schema does not know stays as it came, and what is wrong is left to the
 * validator.
 */
export function recordNormalizer(schema: TObject): Normalize {
  return objectNormalizer(schema, schema === accountSchema ? AS_SPECIFIED : []);
}

// What the specification's account has besides: the feed says both itself, so neither is stored.
const AS_SPECIFIED: [string, Normalize][] = [
  ['remote_id', (value) => (typeof value === 'string' || value === null ? undefined : value)],
  ['company', (value) => (isEmpty(value) || isCompany(value) ? undefined : value)],
];

const isCompany = (value: unknown) =>
  isJsonObject(value) && Object.keys(value).every((key) => key === 'id' || key === 'name');

function objectNormalizer(
  { properties, required = [] }: TObject,
  more: [string, Normalize][] = [],
): Normalize {
  const fields = new Map([
    ...Object.entries(properties).map(([key, field]): [string, Normalize] => [
      key,
      fieldNormalizer(key, field, required.includes(key)),
    ]),
    ...more,
  ]);
  const hasPlainFields = more.length === 0 && !Object.values(properties).includes(accountPhone);
  const normal = (key: string, value: unknown) => {
    const normalize = fields.get(key);
    return normalize === undefined ? value : normalize(value);
  };
  // Most values say what they stand for: to look up the field of each would cost half as much as to validate it.
  const isLookedAt = (value: unknown) => !hasPlainFields || !isPlain(value);
  const isNormal = (value: Fields) => {
    for (const key in value) {
      const member = value[key];
      if (isLookedAt(member) && normal(key, member) !== member) return false;
    }
    return true;
  };
  return (value) => {
    if (!isJsonObject(value) || isNormal(value)) return value;
    const members: Record<string, unknown> = {}; // of strict JSON, which has no `__proto__`
    for (const key in value) {
      const member = normal(key, value[key]);
      if (member !== undefined) members[key] = member;
    }
    return members;
  };
}

const isPlain = (value: unknown) =>
  typeof value === 'string' ? value !== '' : typeof value === 'number' || value === true;

function fieldNormalizer(key: string, field: TSchema, isRequired: boolean): Normalize {
  // An account pushed without phones keeps those it has, so that it has none must be said (docs/contract.md E6).
  const empty = key === 'phones' ? null : undefined;
  const ofItems = field['items'] && listNormalizer(objectNormalizer(field['items'] as TObject));
  const isKept = (value: unknown) =>
    isRequired || !isNullable(field) || !isEmpty(value) || (value === '' && field['minLength'] === 0);
  if (field === accountPhone) return (value) => (typeof value === 'string' && digitsOfPhone(value)) || value;
  if (key === 'deleted') return (value) => (value === false || !isKept(value) ? undefined : value);
  return (value) => (!isKept(value) ? empty : ofItems ? ofItems(value) : value);
}

/** An item with nothing in it is none. A list is left as it is where an item is wrong. */
function listNormalizer(normalize: Normalize): Normalize {
  return (list) => {
    if (!Array.isArray(list)) return list;
    let isChanged = false;
    const items: unknown[] = [];
    for (const item of list) {
      if (!isJsonObject(item)) return list;
      const normal = isBlank(item) ? undefined : normalize(item);
      if (normal !== undefined) items.push(normal);
      if (normal !== item) isChanged = true;
    }
    return isChanged ? items : list;
  };
}

function isBlank(item: Fields): boolean {
  let isBlankSoFar = false;
  for (const key in item) {
    if (!isEmpty(item[key])) return false;
    isBlankSoFar = true;
  }
  return isBlankSoFar;
}

const isEmpty = (value: unknown) => value === null || value === '';
const isNullable = ({ type }: TSchema) => Array.isArray(type) && type.includes('null');
