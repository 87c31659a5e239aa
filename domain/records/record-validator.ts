import type { TObject, TSchema } from '@sinclair/typebox';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020';
import { onFirstUse } from './on-first-use';
import { FORMATS } from './schemas/formats';
import type { MessageCollector } from './validation-messages';

const OPTIONS = { strict: true, allowUnionTypes: true, formats: FORMATS } as const;

// Valid records use only `quick`, which stops at the first error. `verbose` adds the field's description to an error.
const quick = new Ajv2020(OPTIONS);
const thorough = new Ajv2020({ ...OPTIONS, allErrors: true, verbose: true });

export interface RecordValidator {
  /** Adds the errors of the record at `path`; nothing when it is valid. */
  (record: unknown, path: string, found: MessageCollector): void;
}

/**
 * The validator of one record schema. Lists inside a record are validated item by item until the collector is full:
 * `allErrors` over a list of a million bad items would create a million errors.
 */
export function recordValidator(schema: TObject): RecordValidator {
  const isGood = onFirstUse(() => quick.compile(schema));
  // few processes ever meet an invalid record
  const errorsOf = onFirstUse(() => thorough.compile(withoutItems(schema)));
  const lists = listsOf(schema).map(([key, item]) => ({
    key,
    errorsOf: onFirstUse(() => thorough.compile(item)),
  }));
  return (record, path, found) => {
    if (isGood()(record)) return;
    report(errorsOf(), record, path, found);
    for (const { key, errorsOf: errorsOfItem } of lists) {
      const items: unknown = (record as Record<string, unknown> | null)?.[key];
      if (!Array.isArray(items)) continue;
      for (let i = 0; i < items.length && !found.full; i++) {
        report(errorsOfItem(), items[i], `${path}.${key}[${i}]`, found);
      }
    }
  };
}

function listsOf(schema: TObject): [string, TSchema][] {
  return Object.entries(schema.properties).flatMap(([key, field]) =>
    field['items'] ? [[key, field['items'] as TSchema]] : [],
  );
}

function withoutItems(schema: TObject): TSchema {
  const properties = Object.entries(schema.properties).map(([key, { items: _, ...field }]) => [key, field]);
  return { ...schema, properties: Object.fromEntries(properties) as TObject['properties'] };
}

function report(validate: ValidateFunction, value: unknown, path: string, found: MessageCollector): void {
  if (validate(value)) return;
  for (const error of validate.errors ?? []) {
    const { field, message } = described(error);
    if (message) found.add(path + field, message);
  }
}

function described(error: ErrorObject): { field: string; message?: string } {
  if (error.schemaPath.startsWith('#/anyOf/')) return { field: '' };
  if (error.keyword === 'anyOf') {
    return { field: '.account_id', message: 'is required, unless splits name the accounts' };
  }
  if (error.keyword === 'required') {
    return { field: `.${String(error.params['missingProperty'])}`, message: 'is required' };
  }
  if (error.instancePath === '') return { field: '', message: 'must be an object' };
  // A record and its lines are flat, so the instance path is one of the schema's own names.
  const field = `.${error.instancePath.slice(1)}`;
  const description = (error.parentSchema as { description?: string }).description ?? 'valid';
  return { field, message: error.data === null ? 'is required' : `must be ${description}` };
}
