import type { TObject } from '@sinclair/typebox';
import { COMMANDS, RECORD_TYPES, type RecordType } from './commands';
import { GIVEN_NAMES } from './given-names';
import { REFERENCES } from './canonical-json';

/** A field that no schema knows. An ERP declares that it names nobody (docs/contract.md C18). */
interface PassedField {
  readonly type: RecordType;
  /** The list whose items have the field; undefined for a field of the record itself. */
  readonly list: string | undefined;
  readonly name: string;
}

const FIELD = /^([a-z]+)\.(?:([^.\p{Cc}]{1,128})\.)?([^.\p{Cc}]{1,128})$/u;
const OURS = new Set([...GIVEN_NAMES, ...REFERENCES.keys(), 'source_updated_at']);

/**
 * Reads a declaration: `tickets.our_note`, or `tickets.splits.our_note` for the items of a list.
 * @returns the field, or a sentence that says why it cannot be declared
 */
export function readPassedField(text: string): PassedField | string {
  const [, type, list, name = ''] = FIELD.exec(text) ?? [];
  const schema = COMMANDS.find(({ recordType }) => recordType === type)?.schema;
  if (!schema)
    return (
      `Use a type and a name, like tickets.our_note, or tickets.splits.our_note in the items of a list ` +
      `(types: ${RECORD_TYPES.join(', ')}).`
    );
  const items = list === undefined ? undefined : itemsOf(schema, list);
  if (list !== undefined && !items)
    return `The service knows no list ${list} of ${type}: declare the whole field ${type}.${list}.`;
  if (OURS.has(name)) return 'The feed itself gives the field of this name.';
  if (Object.hasOwn((items ?? schema).properties, name))
    return 'The service knows this field and sends it anyway.';
  return { type: type as RecordType, list, name };
}

const itemsOf = ({ properties }: TObject, list: string): TObject | undefined =>
  Object.hasOwn(properties, list) ? (properties[list]!['items'] as TObject | undefined) : undefined;
