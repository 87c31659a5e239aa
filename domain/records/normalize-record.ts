import type { TObject, TSchema } from '@sinclair/typebox';
import { digitsOfPhone } from '../text/parse-phone';
import { isJsonObject } from './strict-json';
import { accountPhone, accountSchema } from './schemas/account';

type Fields = Readonly<Record<string, unknown>>;

/** Returns the value to store; undefined leaves the field out. */
type Normalize = (value: unknown) => unknown;

/**
 * Makes the function that brings a record into the form that is stored. Optional fields that are null or "" are left
 * out, as if they had not been sent (docs/contract.md E16). An account's phones become digits (F19). Fields that the
 * schema does not know stay unchanged, and invalid ones are left to the validator.
 */
export function recordNormalizer(schema: TObject): Normalize {
  return objectNormalizer(schema, schema === accountSchema ? AS_SPECIFIED : []);
}

// The specification's account also has these two. The service writes both itself, so neither is stored.
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
  // Most values stay as they are. Looking up the field of each would cost half as much as validation.
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
    const members: Record<string, unknown> = {}; // strict JSON has no `__proto__`
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
  // Null is kept for `phones`: without the field an account keeps its stored phones (docs/contract.md E6).
  const empty = key === 'phones' ? null : undefined;
  const ofItems = field['items'] && listNormalizer(objectNormalizer(field['items'] as TObject));
  const isKept = (value: unknown) =>
    isRequired || !isNullable(field) || !isEmpty(value) || (value === '' && field['minLength'] === 0);
  if (field === accountPhone) return (value) => (typeof value === 'string' && digitsOfPhone(value)) || value;
  if (key === 'deleted') return (value) => (value === false || !isKept(value) ? undefined : value);
  return (value) => (!isKept(value) ? empty : ofItems ? ofItems(value) : value);
}

/** Removes empty items. A list with an invalid item stays unchanged. */
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
