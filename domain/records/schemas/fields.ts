import { Type, type TObject, type TProperties, type TSchema } from '@sinclair/typebox';

// The building blocks of the record schemas. `description` completes the sentence "must be ...": it is both the
// documentation of a field and its validation message. Optional fields may be null or ""; they are then left out before
// validation (normalize-record.ts).

const MAX_TEXT = 1000;

type Keywords = Record<string, unknown> & { description: string };

/** `type` as a union with null is JSON Schema 2020-12's and OpenAPI 3.1's way to say nullable. */
function optional<T>(type: string | string[], keywords: Keywords) {
  const types = Array.isArray(type) ? [...type, 'null'] : [type, 'null'];
  return Type.Optional(Type.Unsafe<T | null>({ type: types, ...keywords }));
}

const IDENTIFIER = {
  // Counted in characters, not UTF-16 units (docs/contract.md E5). The control characters are spelled out, as not every
  // language that reads the OpenAPI document knows `\p{Cc}`.
  pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]{1,128}$',
  description: 'text of 1 to 128 characters without control characters',
};

/** A record's own id. */
export const identifier = () => Type.String(IDENTIFIER);

/** The id of another record of the same ERP, which may come later. */
export const reference = () => optional<string>('string', IDENTIFIER);

export const requiredReference = identifier;

export const requiredName = () =>
  Type.String({ minLength: 1, maxLength: MAX_TEXT, description: `text of 1 to ${MAX_TEXT} characters` });

export const text = (maxLength = MAX_TEXT) =>
  optional<string>('string', { maxLength, description: `text of at most ${maxLength} characters` });

/** Text for which "" is a value: it is kept. */
export const textOrEmpty = (maxLength = MAX_TEXT) =>
  optional<string>('string', {
    minLength: 0,
    maxLength,
    description: `text of at most ${maxLength} characters, which may be empty`,
  });

export const flag = () => optional<boolean>('boolean', { description: 'true or false' });

/** A quantity, price, percentage or amount of money, passed on unchanged. */
export const quantity = () =>
  optional<number | string>(['number', 'string'], {
    pattern: '^-?\\d{1,30}(\\.\\d{1,30})?$',
    description: 'a number or a decimal string such as "42143.10"',
  });

/** A figure for some codes, a word for others: moisture 15.2, odor "musty"; a rate's basis "per bushel". */
export const measurement = () =>
  optional<number | string>(['number', 'string'], {
    maxLength: MAX_TEXT,
    description: `a number or text of at most ${MAX_TEXT} characters`,
  });

/** A number that identifies something: FSA farm 4412, line 3. */
export const ordinal = () =>
  optional<number | string>(['integer', 'string'], {
    maxLength: 64,
    description: 'an integer or text of at most 64 characters',
  });

/** Text with some known values, its `examples`. Other values are kept, with a warning (record-warnings.ts). */
export const choice = (known: readonly string[]) =>
  optional<string>('string', {
    maxLength: MAX_TEXT,
    examples: [...known],
    description: `text of at most ${MAX_TEXT} characters such as ${known.join(', ')}`,
  });

export const unit = () => choice(['bu', 'lb', 'cwt', 'ton', 'kg', 'mt']);

export const instant = () =>
  optional<string>('string', {
    format: 'date-time',
    description: 'an RFC 3339 date-time with an offset such as "2026-11-21T08:00:00Z"',
  });

/** A business date. Many ERPs store dates as instants, so both forms are accepted and passed on unchanged. */
export const day = () =>
  optional<string>('string', {
    format: 'date-or-date-time',
    description: 'a calendar date such as "2026-11-21" or an RFC 3339 date-time',
  });

export const currency = () =>
  optional<string>('string', {
    pattern: '^[A-Z]{3}$',
    description: 'an ISO 4217 code of three capitals such as "USD"',
  });

export const cropYear = () =>
  optional<number | string>(['integer', 'string'], {
    minimum: 1000,
    maximum: 9999,
    pattern: '^\\d{4}$',
    description: 'a year of four digits such as 2026',
  });

export const list = <T extends TSchema>(items: T) =>
  Type.Optional(Type.Unsafe<T['static'][] | null>({ type: ['array', 'null'], items, description: 'a list' }));

/** A record or a line of one. Fields that are not listed are stored and fed too (docs/contract.md E9). */
export const object = <T extends TProperties>(
  properties: T,
  options: Record<string, unknown> = {},
): TObject<T> => Type.Object(properties, { additionalProperties: true, ...options });

/** When the ERP made, changed and deleted the record. */
export const lifecycle = () => ({
  created_at: instant(),
  updated_at: instant(),
  deleted_at: instant(),
  deleted: flag(),
});
