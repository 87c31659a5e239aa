import type { TObject, TProperties, TSchema } from '@sinclair/typebox';
import { COMMANDS, type RecordType } from './commands';
import { ENTITY_TYPES, type EntityType } from './entity-types';
import { REFERENCES } from './canonical-json';
import { readPassedField } from './passed-field';
import { Items, ShownMembers, type Shape } from './shown-members';

/** The fields that an ERP of a company has declared as naming nobody. */
export interface DeclaredFields {
  readonly company_id: string;
  /** In the form that `readPassedField` reads. */
  readonly fields: readonly string[];
}

const given = (...names: string[]) => names.map((name): [string, Shape] => [name, 'plain']);
const REFERENCE = new ShownMembers(given('id', 'remote_id'));

// The fields that the service writes itself (docs/contract.md C3).
const GIVEN: readonly [string, Shape][] = [
  ...given('id', 'remote_id', 'source_updated_at', 'created_at', 'updated_at', 'deleted_at'),
  ['company', new ShownMembers(given('id', 'name'))],
];

/**
 * The fields that a channel of scope `subscribed` is shown (docs/contract.md C18): those of the schemas, those that the
 * service writes, and those that an ERP of the record's company has declared as naming nobody. Any other field may name
 * somebody.
 */
export class ShownFields {
  private readonly declared = new Map<string, readonly string[]>();
  private readonly kept = new Map<string, ShownMembers>();

  constructor(declared: readonly DeclaredFields[] = []) {
    for (const { company_id, fields } of declared) {
      const others = this.declared.get(company_id) ?? [];
      this.declared.set(company_id, [...others, ...fields]);
    }
  }

  /** The members that are shown of a company's stored records. */
  of(type: EntityType, company: string): ShownMembers {
    const declared = this.declared.get(company);
    if (!declared) return UNDECLARED.get(type)!;
    const key = `${type} ${company}`;
    const members = this.kept.get(key) ?? membersOf(type, declared);
    this.kept.set(key, members);
    return members;
  }

  /** A pushed elevator with the shown members only. */
  ofElevator(elevator: Readonly<Record<string, unknown>>, company: string): Record<string, unknown> {
    const declared = declaredOf('elevators', this.declared.get(company) ?? []).map(({ name }) => name);
    const names = new Set([...Object.keys(schemaOf('elevators').properties), ...declared]);
    return Object.fromEntries(Object.entries(elevator).filter(([name]) => names.has(name)));
  }
}

const schemaOf = (type: RecordType) => COMMANDS.find(({ recordType }) => recordType === type)!.schema;

/** The declared fields of a type. A later release may know such a field itself; then its declaration no longer counts. */
const declaredOf = (type: RecordType, fields: readonly string[]) =>
  fields
    .map(readPassedField)
    .flatMap((field) => (typeof field !== 'string' && field.type === type ? [field] : []));

function membersOf(type: RecordType, fields: readonly string[]): ShownMembers {
  const declared = declaredOf(type, fields);
  const namesIn = (of?: string) => declared.filter(({ list }) => list === of).map(({ name }) => name);
  const shapeOf = (list: string, { items }: TSchema): Shape =>
    items ? new Items(new ShownMembers(shown((items as TObject).properties, namesIn(list)))) : 'plain';
  return new ShownMembers([...shown(schemaOf(type).properties, namesIn(), shapeOf), ...GIVEN]);
}

function* shown(
  properties: TProperties,
  declared: string[],
  shapeOf: (name: string, schema: TSchema) => Shape = () => 'plain',
): Generator<[string, Shape]> {
  for (const name of declared) yield [name, 'everything'];
  // A member with the name of a reference key is not a reference here (domain/records/canonical-json.ts).
  const own = Object.entries(properties).filter(([name]) => !REFERENCES.has(name));
  for (const [name, schema] of own) yield [name, shapeOf(name, schema)];
  for (const name of REFERENCES.values()) yield [name, REFERENCE];
}

const UNDECLARED = new Map(ENTITY_TYPES.map((type) => [type, membersOf(type, [])]));

export const NONE_DECLARED = new ShownFields();
