import type { TObject, TSchema } from '@sinclair/typebox';

/** How the values of a field are read. `any` leaves them unchanged, for a field that no schema knows. */
export type FieldKind =
  | 'number'
  | 'figure'
  | 'flag'
  | 'instant'
  | 'created'
  | 'day'
  | 'phone'
  | 'id'
  | 'year'
  | 'text'
  | 'any';

export const isDateKind = (kind: FieldKind) => kind === 'instant' || kind === 'created' || kind === 'day';

interface KnownField {
  kind: FieldKind;
  /** The schema of the items, if the field is a list. */
  items?: TObject;
}

// An identifier has to be complete: half of a number identifies something else.
const NAMES = /(^|_)(id|number)$/;

/** Finds a field in a schema; undefined when the schema does not have it. */
export function knownField({ properties }: TObject, name: string): KnownField | undefined {
  const schema = Object.hasOwn(properties, name) ? (properties[name] as TSchema) : undefined;
  if (!schema) return undefined;
  const items = schema['items'] as TObject | undefined;
  return items ? { kind: 'text', items } : { kind: kindOf(name, schema) };
}

function kindOf(name: string, schema: TSchema): FieldKind {
  const { format, type, pattern } = schema as { format?: string; type?: string | string[]; pattern?: string };
  if (name === 'crop_year') return 'year';
  if (name === 'created_at') return 'created';
  if (type?.includes('boolean')) return 'flag';
  if (format?.includes('date')) return format === 'date-time' ? 'instant' : 'day';
  if (type?.includes('number')) return pattern === undefined ? 'figure' : 'number';
  if (name === 'phone' && format === undefined) return 'phone';
  return NAMES.test(name) || type?.includes('integer') ? 'id' : 'text';
}
