export type Json = Record<string, unknown>;
type MapField = (key: string, field: Json) => [string, Json];

/** Applies a function to each field of an object schema. */
export function mapFields(schema: Json, map: MapField): Json {
  const fields = Object.entries((schema['properties'] ?? {}) as Record<string, Json>);
  return { ...schema, properties: Object.fromEntries(fields.map(([key, field]) => map(key, field))) };
}

/** Applies a function to the items of a list. Other fields stay unchanged. */
export function mapItems(field: Json, map: (items: Json) => Json): Json {
  return field['items'] ? { ...field, items: map(field['items'] as Json) } : field;
}
