export type Json = Record<string, unknown>;
type MapField = (key: string, field: Json) => [string, Json];

/** An object schema with each of its fields mapped. */
export function mapFields(schema: Json, map: MapField): Json {
  const fields = Object.entries((schema['properties'] ?? {}) as Record<string, Json>);
  return { ...schema, properties: Object.fromEntries(fields.map(([key, field]) => map(key, field))) };
}

/** A field with the items of its list mapped, if it is one. */
export function mapItems(field: Json, map: (items: Json) => Json): Json {
  return field['items'] ? { ...field, items: map(field['items'] as Json) } : field;
}
