import type { TObject, TProperties, TSchema } from '@sinclair/typebox';
import { COMMANDS, type RecordType } from './commands';
import { ENTITY_TYPES, type EntityType } from './entity-types';
import { REFERENCES } from './canonical-json';
import { readPassedField } from './passed-field';
import { Items, ShownMembers, type Shape } from './shown-members';

/** The fields that an ERP of a company declares as naming nobody. */
export interface DeclaredFields {
  readonly company_id: string;
  /** As `readPassedField` takes them. */
  readonly fields: readonly string[];
}

const given = (...names: string[]) => names.map((name): [string, Shape] => [name, 'plain']);
const REFERENCE = new ShownMembers(given('id', 'remote_id'));

// What the feed itself says of a record (docs/contract.md C3).
const GIVEN: readonly [string, Shape][] = [
  ...given('id', 'remote_id', 'source_updated_at', 'created_at', 'updated_at', 'deleted_at'),
  ['company', new ShownMembers(given('id', 'name'))],
];

/**
 * Which fields a channel of scope `subscribed` is shown (docs/contract.md C18): those of the schemas, those that the feed
 * gives, and those that the ERPs of the record's company declare as naming nobody. Any other may name anybody.
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

  /** The members of a company's stored records that are shown. */
  of(type: EntityType, company: string): ShownMembers {
    const declared = this.declared.get(company);
    if (!declared) return UNDECLARED.get(type)!;
    const key = `${type} ${company}`;
    const members = this.kept.get(key) ?? membersOf(type, declared);
    this.kept.set(key, members);
    return members;
  }

  /** An elevator as it was pushed, without what is not shown. */
  ofElevator(elevator: Readonly<Record<string, unknown>>, company: string): Record<string, unknown> {
    const names = new Set([...Object.keys(schemaOf('elevators').properties), ...this.inElevators(company)]);
    return Object.fromEntries(Object.entries(elevator).filter(([name]) => names.has(name)));
  }

  private inElevators(company: string): string[] {
    return declaredOf('elevators', this.declared.get(company) ?? []).map(({ name }) => name);
  }
}

const schemaOf = (type: RecordType) => COMMANDS.find(({ recordType }) => recordType === type)!.schema;

/** A later release may know a declared field, and then refuse its declaration. */
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
  // What stands under the name of a reference key is not a reference (domain/canonical-json.ts).
  const own = Object.entries(properties).filter(([name]) => !REFERENCES.has(name));
  for (const [name, schema] of own) yield [name, shapeOf(name, schema)];
  for (const name of REFERENCES.values()) yield [name, REFERENCE];
}

const UNDECLARED = new Map(ENTITY_TYPES.map((type) => [type, membersOf(type, [])]));

export const NONE_DECLARED = new ShownFields();
