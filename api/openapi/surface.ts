import { addTo } from '../../domain/add-to';
import type { Deprecation } from '../../domain/deprecations';

interface Schema {
  $ref?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  deprecated?: boolean;
  description?: string;
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

/** Marks every part with a deprecation as `deprecated`, with its end and its replacement. */
export function markDeprecated<D extends Described>(document: D, rows: readonly Deprecation[]): D {
  if (rows.length === 0) return document;
  const marked = JSON.parse(JSON.stringify(document)) as D; // schemas are shared
  const surface = surfaceOf(marked);
  for (const { what, announced, ends, instead } of rows) {
    const note = `Deprecated since ${announced}, and gone from ${ends} on: ${instead}.`;
    for (const place of surface.get(what) ?? []) {
      place.deprecated = true;
      place.description = place.description ? `${place.description} ${note}` : note;
    }
  }
  return marked;
}

/** Makes docs/deprecations.md. */
export function deprecationsPage(rows: readonly Deprecation[], monthsAhead: number): string {
  return `# What is going

For the engineers of ERPs and customers. Properties are added at any time, and readers ignore what they do not know. What is removed, or changes its
meaning, is announced here at least ${monthsAhead} months before, with what takes its place. From the announcement on, do not begin to use it.

You see it without reading this page as well: each answer of a request that is going carries \`Deprecation: @1799971200\` (since when, in seconds since 1970,
RFC 9745), \`Sunset: Thu, 15 Jul 2027 00:00:00 GMT\` (until when, RFC 8594) and a \`Link\` to \`/docs\`, so log these headers, or fail a test of yours on
them. In \`/openapi.json\` a request, a parameter or a field that is going is \`deprecated\`, and its description says until when and what to use; generators of clients warn of it.

${rows.length === 0 ? 'Nothing is going.' : tableOf(rows)}

For maintainers: a row of [deprecations.ts](../domain/deprecations.ts) makes all of this. A test compares what the API has with test/openapi/published.txt, whose lines are
never removed, and fails where something is gone that was not announced in time. This page is made by
\`npm run -s build && node -p "require('./dist/api/openapi/surface').deprecationsPage(require('./dist/domain/deprecations').DEPRECATIONS, ${monthsAhead})" > docs/deprecations.md\`.`;
}

function tableOf(rows: readonly Deprecation[]): string {
  const lines = rows.map(
    ({ what, announced, ends, instead }) => `| \`${what}\` | ${announced} | ${ends} | ${instead} |`,
  );
  return `| what | announced | gone from | use |\n|---|---|---|---|\n${lines.join('\n')}`;
}
