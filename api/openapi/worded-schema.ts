import { FIELD_WORDS } from './field-words';
import { mapFields, mapItems, type Json } from './map-fields';

/** The schema that validates, saying of each field what it is and then what it must be. */
export function wordedSchema(schema: Json): Json {
  return mapFields(schema, (key, field) => {
    const limits = field['items'] || !field['description'] ? '' : ` Must be ${field['description']}.`;
    return [key, { ...mapItems(field, wordedSchema), description: `${FIELD_WORDS[key]}.${limits}` }];
  });
}
