import { REFERENCES } from '../../domain/records/canonical-json';
import { COMMANDS, type Command } from '../../domain/records/commands';
import { deletionSchema } from '../../domain/records/deletion';
import { isEntityType, WRAPPER_KEYS, type EntityType } from '../../domain/records/entity-types';
import { FULL_DATE } from '../../domain/records/schemas/formats';
import { NEXT } from './describe-list';
import { descriptionOf } from './field-descriptions';
import { ref } from './operation';

type Json = Record<string, unknown>;

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

const PAGE_WORDS: Json = {
  type: 'object',
  additionalProperties: { type: 'string', pattern: FULL_DATE.source },
  description:
    'By the id of a company, the day up to which its ERP has said that it pushed everything of this type. Only on the page with which you have all that it had pushed when it said so; mostly missing. It is the word of the ERP: nobody else has checked it.',
};

function pageOf(wrapper: string, record: string): object {
  const wrapped = whole({ [wrapper]: { anyOf: [ref(record), ref('GoneRecord')] } });
  const page = whole({
    data: { type: 'array', items: wrapped, description: 'In the order in which the changes were stored.' },
    meta: ref('PageMeta'),
  });
  return { ...page, properties: { ...(page['properties'] as Json), erp_complete_through: PAGE_WORDS } };
}

/**
 * The schema of validation with a description for every field, followed by its constraint. That a ticket names its owner
 * is left out: generators of clients cannot read a rule over members.
 */
function describedSchema({ anyOf: _, ...schema }: Json): Json {
  return mapFields(schema, (key, field) => {
    const limits = field['items'] || !field['description'] ? '' : ` Must be ${field['description']}.`;
    return [key, { ...mapItems(field, describedSchema), description: `${descriptionOf(key)}.${limits}` }];
  });
}

const INSTANT = { type: 'string', format: 'date-time' };

/** The schema of a record as a customer receives it, which is the output of `renderRecord` (docs/contract.md C3). */
function fedSchema(pushed: Json): Json {
  const shown = withReferences(pushed);
  const {
    id: _,
    name,
    phones,
    updated_at: __,
    deleted: ___,
    ...rest
  } = shown['properties'] as Record<string, Json>;
  return {
    ...shown,
    title: `Fed${pushed['title']}`,
    description: `${pushed['description']} as a customer receives it; fields may be added at any time`,
    properties: {
      id: { type: 'string', description: 'Opaque, and unique over all companies.' },
      remote_id: { type: 'string', description: 'What the ERP knows it by.' },
      ...(name && { name }),
      company: ref('Company'),
      source_updated_at: { ...INSTANT, description: 'When the ERP last changed it, if it said so.' },
      ...(phones && {
        phones: { ...phones, type: 'array', description: 'Of the farmer; empty when there are none.' },
      }),
      ...rest,
      created_at: { ...INSTANT, description: 'When the ERP made it, else when it was first stored.' },
      updated_at: {
        ...INSTANT,
        description: 'When this change was stored; rises with each change of the record.',
      },
      deleted_at: { ...INSTANT, type: ['string', 'null'], description: 'Not null: the record is gone.' },
    },
    required: [
      ...new Set([
        'id',
        'remote_id',
        'company',
        ...(phones ? ['phones'] : []),
        ...(shown['required'] as string[]),
      ]),
      ...['created_at', 'updated_at', 'deleted_at'],
    ],
  };
}

/** Replaces `account_id` by `account`, also in lines. */
function withReferences(schema: Json): Json {
  const { required = [] } = schema as { required?: string[] };
  const shown = mapFields(schema, (key, field) => [
    REFERENCES.get(key) ?? key,
    REFERENCES.has(key) ? reference(key, field) : mapItems(field, shownItem),
  ]);
  return {
    ...shown,
    ...(required.length > 0 && { required: required.map((key) => REFERENCES.get(key) ?? key) }),
  };
}

const HIDDEN = 'Null too where the account is not shared with you.';

/** Allows `null` for a line whose account is not shared (docs/contract.md C18). */
function shownItem(item: Json): Json {
  const shown = withReferences(item);
  const names = 'account_id' in ((item['properties'] ?? {}) as Json);
  return names ? { anyOf: [shown, { type: 'null', description: HIDDEN }] } : shown;
}

function reference(key: string, field: Json): Json {
  const { type, description } = field;
  const text = String(description).replace(/ Must be .*/, '');
  const isHideable = key === 'account_id';
  if (type === 'string' && !isHideable) return { ...ref('Reference'), description: text };
  return {
    anyOf: [ref('Reference'), { type: 'null' }],
    description: isHideable ? `${text} ${HIDDEN}` : text,
  };
}

/** The schema of a record none of whose accounts is shared any more (docs/contract.md C18). */
function goneSchema(): Json {
  return {
    title: 'GoneRecord',
    description:
      'A record that is not yours any more: it was corrected to an account that is not shared with you.',
    ...whole({
      id: { type: 'string' },
      remote_id: { type: 'string' },
      company: ref('Company'),
      updated_at: INSTANT,
      deleted_at: INSTANT,
    }),
  };
}

/** An object that has all of its fields. */
const whole = (properties: Json): Json => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
});

/** Applies a function to each field of an object schema. */
function mapFields(schema: Json, map: (key: string, field: Json) => [string, Json]): Json {
  const fields = Object.entries((schema['properties'] ?? {}) as Record<string, Json>);
  return { ...schema, properties: Object.fromEntries(fields.map(([key, field]) => map(key, field))) };
}

/** Applies a function to the items of a list. Other fields stay unchanged. */
function mapItems(field: Json, map: (items: Json) => Json): Json {
  return field['items'] ? { ...field, items: map(field['items'] as Json) } : field;
}
