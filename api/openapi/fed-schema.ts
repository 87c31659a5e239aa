import { REFERENCES } from '../../domain/canonical-json';
import { ref } from './operation';

export type Json = Record<string, unknown>;

const INSTANT = { type: 'string', format: 'date-time' };

/** The schema of a record as a customer receives it, which is the output of `renderRecord` (docs/contract.md C3). */
export function fedSchema(pushed: Json): Json {
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

/** Replaces `account_id` by `account`, also in lines and in the rule that a ticket names its owner. */
function withReferences(schema: Json): Json {
  const { required = [], anyOf } = schema as { required?: string[]; anyOf?: Json[] };
  const shown = mapFields(schema, (key, field) => [
    REFERENCES.get(key) ?? key,
    REFERENCES.has(key) ? reference(key, field) : mapItems(field, shownItem),
  ]);
  return {
    ...shown,
    ...(required.length > 0 && { required: required.map((key) => REFERENCES.get(key) ?? key) }),
    ...(anyOf && { anyOf: anyOf.map(withReferences) }),
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
  if (!type) return field; // part of a rule: "not null"
  const text = String(description).replace(/ Must be .*/, '');
  const isHideable = key === 'account_id';
  if (type === 'string' && !isHideable) return { ...ref('Reference'), description: text };
  return {
    anyOf: [ref('Reference'), { type: 'null' }],
    description: isHideable ? `${text} ${HIDDEN}` : text,
  };
}

/** The schema of a record none of whose accounts is shared any more (docs/contract.md C18). */
export function goneSchema(): Json {
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
export const whole = (properties: Json): Json => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
});

/** Applies a function to each field of an object schema. */
export function mapFields(schema: Json, map: (key: string, field: Json) => [string, Json]): Json {
  const fields = Object.entries((schema['properties'] ?? {}) as Record<string, Json>);
  return { ...schema, properties: Object.fromEntries(fields.map(([key, field]) => map(key, field))) };
}

/** Applies a function to the items of a list. Other fields stay unchanged. */
export function mapItems(field: Json, map: (items: Json) => Json): Json {
  return field['items'] ? { ...field, items: map(field['items'] as Json) } : field;
}
