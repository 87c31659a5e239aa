import { type Static, Type } from '@sinclair/typebox';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020';
import { RECORD_TYPES } from '../../domain/records/commands';

const closed = { additionalProperties: false } as const;
const optional = Type.Optional;
const column = Type.String({ minLength: 1, maxLength: 1000, description: 'the name of a column' });
const columns = Type.Array(column, { minItems: 1, description: 'a list of columns' });
const text = Type.String({ maxLength: 1000, description: 'text' });
const missing = Type.Array(text, { description: 'a list of texts such as ["NULL", "N/A"]' });
const dates = Type.Array(Type.String({ minLength: 1, maxLength: 60 }), {
  minItems: 1,
  description: 'a list of forms such as ["MM/DD/YYYY hh:mm A", "MM/DD/YYYY"]',
});
const sign = Type.String({ minLength: 1, maxLength: 1, description: 'one character' });
const numbers = Type.Object(
  {
    decimal_char: optional(sign),
    group_char: optional(sign),
    sign: optional(Type.Literal('punched', { description: '"punched"' })),
  },
  { ...closed, description: 'such as { "decimal_char": ",", "group_char": "." }' },
);
const row = Type.Integer({ minimum: 1, description: 'a number from 1' });
const oneOf = <T extends string>(texts: readonly T[]) =>
  Type.Union(
    texts.map((each) => Type.Literal(each)),
    { description: `one of ${texts.join(', ')}` },
  );
const scalar = Type.Union([text, Type.Number(), Type.Boolean()]);
// plan.ts checks sources, lists and conditions and names their problems. A schema could only say that no form fits.
const anything = Type.Unknown();

const PART = Type.Union([column, Type.Object({ value: text }, closed)]);

const SOURCE = Type.Object(
  {
    from: optional(
      Type.Union([column, Type.Array(PART, { minItems: 1 })], {
        description: 'a column, or a list of columns and of { "value": text }',
      }),
    ),
    pattern: optional(text),
    join: optional(text),
    value: optional(scalar),
    values: optional(
      Type.Record(Type.String(), Type.Union([scalar, Type.Null()]), { description: 'code -> what it means' }),
    ),
    missing_values: optional(missing),
    where: optional(anything),
    any_row: optional(anything),
    dates: optional(dates),
    numbers: optional(numbers),
    time_zone: optional(text),
    multiply: optional(Type.Number({ description: 'a number' })),
  },
  closed,
);

const DIALECT = Type.Object(
  {
    format: optional(oneOf(['csv', 'fixed', 'json', 'ndjson', 'xlsx', 'xml', 'dbf'])),
    delimiter: optional(sign),
    encoding: optional(Type.String({ maxLength: 40, description: 'such as "windows-1252"' })),
    header: optional(Type.Boolean({ description: 'true or false' })),
    header_rows: optional(
      Type.Array(row, { minItems: 1, maxItems: 10, description: 'a list of rows such as [4, 5]' }),
    ),
    columns: optional(
      Type.Record(
        column,
        Type.Unsafe<[number, number]>({ type: 'array', items: row, minItems: 2, maxItems: 2 }),
        { description: 'column -> [from, to]' },
      ),
    ),
    short_rows: optional(
      Type.Integer({ minimum: 0, description: 'how many cells a row may leave out at its end' }),
    ),
    sheet_name: optional(text),
    property: optional(
      Type.String({ minLength: 1, maxLength: 200, description: 'such as "sites[].tickets[]"' }),
    ),
  },
  closed,
);

/** The schema of a mapping file (docs/files.md). */
const MAPPING = Type.Object(
  {
    type: oneOf(RECORD_TYPES),
    dialect: optional(DIALECT),
    rows: optional(anything),
    fill_down: optional(columns),
    optional_columns: optional(columns),
    dates: optional(dates),
    time_zone: optional(text),
    numbers: optional(numbers),
    missing_values: optional(missing),
    phones: optional(
      Type.Object(
        { area_code: optional(Type.String({ pattern: '^\\d{3}$', description: 'three digits' })) },
        closed,
      ),
    ),
    gather: optional(
      Type.Union([Type.Boolean(), Type.Object({ own: anything }, closed)], {
        description: 'true, or { "own": condition }',
      }),
    ),
    deleted: optional(anything),
    whole: optional(
      Type.Object(
        {
          of: optional(Type.Record(Type.String(), scalar)),
          delete_at_most: optional(Type.String({ pattern: '^\\d{1,3} ?%$', description: 'such as "30 %"' })),
        },
        closed,
      ),
    ),
    own_fields: optional(Type.Array(text, { description: 'a list of names' })),
    record: optional(
      Type.Record(Type.String(), anything, { description: 'field -> where its value comes from' }),
    ),
    /** The columns for which a draft found no field. */
    '?': optional(anything),
  },
  closed,
);

export type Mapping = Static<typeof MAPPING>;
export type Source = Static<typeof SOURCE>;

const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, verbose: true });
const isMapping = ajv.compile<Mapping>(MAPPING);
const isSource = ajv.compile<Source>(SOURCE);

/** @returns what is wrong with a source, by member */
export const flawsOfSource = (source: unknown): string[] => (isSource(source) ? [] : flaws(isSource.errors));

/** @returns what is wrong with a mapping, by member; planOf checks its sources, lists and conditions */
export const flawsOfMapping = (mapping: unknown): string[] =>
  isMapping(mapping) ? [] : flaws(isMapping.errors);

const SHOWN_FLAWS = 5;

/** The messages of a schema, one for each place: `dialect.header_rows must be a list of rows such as [4, 5]`. */
function flaws(errors: ErrorObject[] | null | undefined): string[] {
  const found = new Map<string, string>();
  const isWithin = (path: string) =>
    [...found.keys()].some((known) => path === known || path.startsWith(`${known}.`));
  for (const { instancePath, keyword, params, parentSchema, schema } of [...(errors ?? [])].reverse()) {
    const path = instancePath.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~');
    const at = (name: unknown) => (path ? `${path}.${String(name)}` : String(name));
    const { description } = parentSchema as { description?: string };
    if (keyword === 'additionalProperties')
      found.set(
        at(params['additionalProperty']),
        `is not a member: there are ${Object.keys((parentSchema as { properties: object }).properties)
          .filter((name) => name !== '?')
          .join(', ')}`,
      );
    else if (keyword === 'required') found.set(at(params['missingProperty']), 'is missing');
    else if (description && !isWithin(path)) found.set(path, `must be ${description}`);
    else if (!isWithin(path)) found.set(path, `must be ${keyword} ${JSON.stringify(schema)}`);
  }
  return [...found].slice(0, SHOWN_FLAWS).map(([path, what]) => `${path} ${what}`);
}
