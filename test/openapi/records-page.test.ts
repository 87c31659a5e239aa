import { Ajv2020 } from 'ajv/dist/2020';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { COMMANDS } from '../../domain/records/commands';
import { FORMATS } from '../../domain/records/schemas/formats';
import { UNITS } from '../../domain/records/schemas/units';
import { descriptionOf } from '../../api/openapi/field-descriptions';
import { FIELD_EXAMPLES } from '../../api/openapi/field-examples';
import { fieldRows } from '../../tools/docs/records-page';
import { slowTest } from '../setup/cases';

const page = readFileSync(path.join(__dirname, '../../docs/records.md'), 'utf8');
const rows = COMMANDS.flatMap((command) => fieldRows(command).map((row) => ({ ...row, command })));

slowTest('every field has a row with a meaning, a type and an example that fits', () => {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, formats: FORMATS });
  for (const { path: field, schema, example } of rows) {
    const [row] = page.split('\n').filter((line) => line.startsWith(`| \`${field}\``) || line.startsWith(`| **\`${field}\``)); // prettier-ignore
    const [, , meaning, type, , , shown] = row!.split(/ ?(?<!\\)\| ?/);
    expect([field, meaning, type]).toEqual([field, expect.stringMatching(/\w{3}/), expect.stringMatching(/\w{3}/)]); // prettier-ignore
    if (schema['items']) continue;
    expect([field, shown]).toEqual([field, expect.stringMatching(/^`.+`$/)]);
    expect([field, example, ajv.validate(schema, example)]).toEqual([field, example, true]);
  }
});

test('a field that nobody has described is named, with the file to describe it in', () =>
  expect(() => descriptionOf('net_wait')).toThrow(
    'api/openapi/field-descriptions.ts does not describe net_wait',
  ));

test('every example is of a field, and every unit and figure too', () => {
  const names = new Set(rows.map(({ path: field }) => field.split('.').at(-1)));
  expect(Object.keys(FIELD_EXAMPLES).filter((name) => !names.has(name))).toEqual([]);
  for (const command of COMMANDS) {
    const fields = fieldRows(command).map(({ path: field }) => field.replace('[]', ''));
    for (const [unit, figures] of Object.entries(UNITS[command.recordType]))
      expect(fields).toEqual(expect.arrayContaining([unit, ...figures]));
  }
});

test('a figure without a unit is a percentage, a rate or a grade’s own', () => {
  const without = COMMANDS.flatMap((command) => {
    const known = new Set(Object.values(UNITS[command.recordType]).flat());
    const figures = fieldRows(command).filter(({ schema }) => schema['pattern']?.startsWith('^-?'));
    return figures.map(({ path: field }) => field.replace('[]', '')).filter((field) => !known.has(field));
  });
  expect(without).toEqual([
    'tolerance_percent',
    'grade_factors.dockage_value',
    'grade_factors.premium_discount_value',
    'splits.split_percent',
    'adjustments.rate',
  ]);
});
