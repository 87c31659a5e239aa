import type { TObject, TSchema } from '@sinclair/typebox';
import { COMMANDS, type Command, type RecordType } from '../../domain/records/commands';
import { UNITS } from '../../domain/records/schemas/units';
import { EXAMPLES } from '../../api/openapi/examples';
import { descriptionOf } from '../../api/openapi/field-descriptions';
import { FIELD_EXAMPLES } from '../../api/openapi/field-examples';
import { titleOf } from '../../api/openapi/record-schemas';

/** One field of a record, or of the items of one of its lists. */
export interface FieldRow {
  /** `net_weight`; `splits[].account_id`. */
  readonly path: string;
  readonly schema: TSchema;
  readonly isRequired: boolean;
  readonly example: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

/** Every field of a type, in the order of its schema. */
export const fieldRows = ({ recordType, schema }: Command): FieldRow[] =>
  rowsOf(schema, '', EXAMPLES[recordType]);

function rowsOf(schema: TObject, within: string, example: Fields): FieldRow[] {
  return Object.entries(schema.properties).flatMap(([key, field]) => {
    const path = `${within}${key}`;
    const isRequired = schema.required?.includes(key) ?? false;
    const row = { path, schema: field, isRequired, example: example[key] ?? FIELD_EXAMPLES[key] };
    if (!field['items']) return [row];
    const [item = {}] = (example[key] ?? []) as Fields[];
    return [{ ...row, example: undefined }, ...rowsOf(field['items'] as TObject, `${path}[].`, item)];
  });
}

/** Makes docs/records.md: every field of every type, from the schemas. */
export function recordsPage(): string {
  return `# Records

For the engineer of an ERP, and for that of a customer. What an ERP pushes, and customers are fed ([the ERP's guide](./erp.md), [the customer's](./customer.md)).

<!-- Made from the schemas by: npx tsx tools/docs/make-docs.ts -->

A field in bold is required. Any other may be left out, null or \`""\`. An unknown value of a field that has known ones is kept, with a warning. A
field that is not listed here is kept and passed on ([to whom](./erp.md#fields-of-your-own)). The unit is a percentage, or names the fields beside the
figure that say it.

${COMMANDS.map(sectionOf).join('\n\n')}
`;
}

function sectionOf(command: Command): string {
  const { name, recordType } = command;
  const rows = fieldRows(command).map((row) => rowText(recordType, row));
  return `## ${titleOf(command)}

Pushed by \`${name}\`.${recordType === 'tickets' ? ' `account_id` or `splits` is required.' : ''}

| field | meaning | type | unit | known values | example |
|---|---|---|---|---|---|
${rows.join('\n')}`;
}

function rowText(type: RecordType, { path, schema, isRequired, example }: FieldRow): string {
  const known = (schema['examples'] ?? []) as string[];
  const cells = [
    isRequired ? `**\`${path}\`**` : `\`${path}\``,
    descriptionOf(path.split('.').at(-1)!),
    typeText(schema),
    unitOf(type, path),
    known.map(code).join(', '),
    example === undefined ? '' : code(JSON.stringify(example)),
  ];
  return `| ${cells.map((cell) => cell.replace(/\|/g, '\\|')).join(' | ')} |`;
}

const code = (text: string) => `\`${text}\``;

/** The rule in the text of a validation message, without its examples. */
const typeText = ({ description = 'anything', items }: TSchema): string =>
  items ? 'a list of:' : description.replace(/,? such as ("[^"]*"|[\w, ]+$)/, '');

function unitOf(type: RecordType, path: string): string {
  if (path.endsWith('_percent')) return '%';
  const figure = path.replace('[]', '');
  const units = Object.entries(UNITS[type]).filter(([, figures]) => figures.includes(figure));
  return units.map(([unit]) => code(unit)).join(', ');
}
