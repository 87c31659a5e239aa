import { addTo } from '../../domain/records/add-to';

interface Schema {
  $ref?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}

type Media = Record<string, { schema?: Schema }>;

interface Called extends Schema {
  parameters?: (Schema & { name: string; in: string })[];
  requestBody?: { content: Media };
  responses?: Record<string, { content?: Media }>;
}

interface Described {
  paths: Record<string, Record<string, object>>;
  webhooks: Record<string, { post: object }>;
  components: { schemas: Record<string, object> };
}

/**
 * The parts of the document that a client may depend on: requests, parameters and fields by name, with the places that
 * describe them.
 */
export type Surface = Map<string, Schema[]>;

export function surfaceOf({ paths, webhooks, components }: Described): Surface {
  const found: Surface = new Map();
  for (const [path, methods] of Object.entries(paths))
    for (const [method, called] of Object.entries(methods))
      addCalled(found, `${method.toUpperCase()} ${path}`, called);
  for (const [name, { post }] of Object.entries(webhooks)) addCalled(found, `webhook ${name}`, post);
  for (const [name, schema] of Object.entries(components.schemas)) addFields(found, name, schema);
  return found;
}

function addCalled(found: Surface, name: string, called: Called): void {
  addTo(found, name, called);
  for (const parameter of called.parameters ?? [])
    if (parameter.in !== 'path')
      addTo(found, `${name}${parameter.in === 'query' ? '?' : ' '}${parameter.name}`, parameter);
  const bodies = [called.requestBody, ...Object.values(called.responses ?? {})];
  for (const { schema } of bodies.flatMap((body) => Object.values(body?.content ?? {})))
    if (schema) addFields(found, name, schema);
}

function addFields(found: Surface, at: string, schema: Schema): void {
  const { $ref, properties = {}, items, anyOf = [], oneOf = [], allOf = [] } = schema;
  if ($ref) return;
  for (const part of [...anyOf, ...oneOf, ...allOf]) addFields(found, at, part);
  if (items) addFields(found, `${at}[]`, items);
  for (const [name, field] of Object.entries(properties)) {
    addTo(found, `${at}.${name}`, field);
    addFields(found, `${at}.${name}`, field);
  }
}
