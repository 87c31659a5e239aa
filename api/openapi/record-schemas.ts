import { COMMANDS, type Command } from '../../domain/commands';
import { deletionSchema } from '../../domain/deletion';
import { isEntityType, WRAPPER_KEYS, type EntityType } from '../../domain/entity-types';
import { NEXT } from './answer-schemas';
import { FIELD_DESCRIPTIONS } from './field-descriptions';
import { fedSchema, goneSchema, type Json, mapFields, mapItems, whole } from './fed-schema';
import { ref } from './operation';

/** The record schemas by component name: `Ticket` for a push; `FedTicket` and `TicketsPage` for the feed. */
export function recordSchemas(): Record<string, object> {
  const Deletion = {
    ...describedSchema(deletionSchema),
    required: ['id', 'deleted'],
    additionalProperties: false,
  };
  return Object.assign({ Deletion, GoneRecord: goneSchema() }, ...COMMANDS.map(componentsOf)) as Record<
    string,
    object
  >;
}

export const titleOf = ({ schema }: Command): string => String(schema.title);

/** `AccountsPage` */
export const pageName = (type: EntityType) => `${type[0]?.toUpperCase()}${type.slice(1)}Page`;

function componentsOf(command: Command): Record<string, object> {
  const { recordType, schema } = command;
  const pushed = describedSchema(schema);
  if (!isEntityType(recordType)) return { [titleOf(command)]: pushed, Elevators: listOf(pushed) };
  const fed = `Fed${titleOf(command)}`;
  return {
    [titleOf(command)]: pushed,
    [fed]: fedSchema(pushed),
    [pageName(recordType)]: pageOf(WRAPPER_KEYS[recordType], fed),
  };
}

/** The list of elevators for a customer. Each has its pushed fields and the id by which the feed refers to it. */
function listOf(pushed: Json): object {
  const { id: _, deleted: __, ...rest } = pushed['properties'] as Record<string, Json>;
  const listed = {
    ...pushed,
    title: 'ListedElevator',
    description: `${pushed['description']} as it was pushed; fields may be added at any time`,
    properties: {
      id: { type: 'string', description: 'Opaque; an `elevator` reference in the feed has the same.' },
      remote_id: { type: 'string', description: 'What the ERP knows it by.' },
      company: ref('Company'),
      ...rest,
    },
    required: ['id', 'remote_id', 'company', 'name', 'deleted_at'],
  };
  return whole({
    data: { type: 'array', items: listed, description: 'In the order of their ids.' },
    next: NEXT,
  });
}

function pageOf(wrapper: string, record: string): object {
  const wrapped = whole({ [wrapper]: { anyOf: [ref(record), ref('GoneRecord')] } });
  return whole({
    data: { type: 'array', items: wrapped, description: 'In the order in which the changes were stored.' },
    meta: ref('PageMeta'),
  });
}

/** The schema of validation with a description for every field, followed by its constraint. */
function describedSchema(schema: Json): Json {
  return mapFields(schema, (key, field) => {
    const limits = field['items'] || !field['description'] ? '' : ` Must be ${field['description']}.`;
    return [
      key,
      { ...mapItems(field, describedSchema), description: `${FIELD_DESCRIPTIONS[key]}.${limits}` },
    ];
  });
}
