import type { TSchema } from '@sinclair/typebox';
import type { Random } from '../../tools/sample/random';
import { COMMANDS } from '../../domain/records/commands';
import { pastedForms } from '../setup/pasted';

// Good values, by what a schema asks of its texts.
const BY_FORMAT: Record<string, string[]> = {
  'date-time': ['2026-10-01T08:00:00-05:00', '2016-01-01T00:00:00Z', '2026-11-21T08:00:00.123456789Z'],
  'date-or-date-time': ['2026-10-01', '2024-02-29', '2026-10-01T08:00:00Z'],
  'international-phone': ['+17015550142', ''],
  'email-or-empty': ['grain@prairie.example', ''],
  'http-url-or-empty': ['https://prairie.example/x?y=1', ''],
  'semantic-version': ['1.0.0', '2.13.1-rc.1'],
};
const TEXTS = [
  '1001',
  'T-1',
  'USD',
  '2026',
  '42143.10',
  'Meyer Farms',
  'M\u00fcller \ud83c\udf3e',
  '7015550142',
];

/** A value that the schema, or one like it, would take. */
export function valueFor(schema: TSchema, random: Random): unknown {
  if (schema['enum']) return random.pick(schema['enum'] as unknown[]);
  const types = [schema.type ?? 'string'].flat() as string[];
  switch (random.pick(types)) {
    case 'object':
      return objectFor(schema, random);
    case 'array':
      return Array.from({ length: random.integer(0, 3) }, () => valueFor(schema['items'] as TSchema, random));
    case 'boolean':
      return random.chance(0.5);
    case 'integer':
      return random.integer(1000, 9999);
    case 'number':
      return random.integer(-1_000_000, 1_000_000) / 100;
    case 'null':
      return null;
    default:
      return textFor(schema, random);
  }
}

/** Some of them as people paste it into an ERP. */
function textFor(schema: TSchema, random: Random): string {
  const text = random.pick(BY_FORMAT[schema['format'] as string] ?? TEXTS);
  return random.chance(0.03) ? random.pick(pastedForms(text)) : text;
}

function objectFor(schema: TSchema, random: Random): Record<string, unknown> {
  const required = (schema['required'] as string[] | undefined) ?? [];
  const chosen = Object.entries(schema['properties'] as Record<string, TSchema>).filter(
    ([key]) => required.includes(key) || key === 'account_id' || random.chance(0.2),
  );
  return Object.fromEntries(chosen.map(([key, field]) => [key, valueFor(field, random)]));
}

export function pushFor(random: Random): unknown {
  const data = Array.from({ length: random.integer(0, 4) }, () => {
    const { name, recordType, schema } = random.pick(COMMANDS);
    const records = Array.from({ length: random.integer(0, 4) }, () => valueFor(schema, random));
    return { [name]: { [recordType]: records } };
  });
  return { data };
}
