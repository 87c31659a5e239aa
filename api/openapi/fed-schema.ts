import { REFERENCES } from '../../domain/member-layout';
import { mapFields, mapItems, type Json } from './map-fields';
import { ref } from './operation';

const INSTANT = { type: 'string', format: 'date-time' };

/** A record as a customer receives it: the output of `renderRecord` (docs/contract.md C3). */
export function fedSchema(pushed: Json): Json {
  const shown = withReferences(pushed);
  const { id: _, name, phones, updated_at: __, ...rest } = shown['properties'] as Record<string, Json>;
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

/** `account_id` becomes `account`, in lines too, and in the rule that a ticket names its owner. */
function withReferences(schema: Json): Json {
  const { required = [], anyOf } = schema as { required?: string[]; anyOf?: Json[] };
  const shown = mapFields(schema, (key, field) => [
    REFERENCES.get(key) ?? key,
    REFERENCES.has(key) ? reference(field) : mapItems(field, withReferences),
  ]);
  return {
    ...shown,
    ...(required.length > 0 && { required: required.map((key) => REFERENCES.get(key) ?? key) }),
    ...(anyOf && { anyOf: anyOf.map(withReferences) }),
  };
}

function reference(field: Json): Json {
  const { type, description } = field;
  if (!type) return field; // of a rule: "not null"
  const words = { description: String(description).replace(/ Must be .*/, '') };
  return type === 'string'
    ? { ...ref('Reference'), ...words }
    : { anyOf: [ref('Reference'), { type: 'null' }], ...words };
}
