import type { TSchema } from '@sinclair/typebox';
import type { ErrorCode } from '../http/http-error';

/** The groups of the reference, in its order. */
export const TAGS = {
  push: 'What an ERP sends.',
  feed: 'The next page, for a customer who collects its pages.',
  markers: 'What a customer has confirmed, and how to get records again.',
  digest: 'Whether both sides hold the same.',
  production: 'What an account has brought in.',
  deliveries: 'What was sent to a customer.',
  elevators: 'The locations that records refer to.',
  sharing: 'What farmers share with a customer.',
} as const;

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  description: string;
  required?: boolean;
  schema: TSchema | object;
  example?: unknown;
}

interface Content {
  schema: TSchema | object;
  examples?: Record<string, { value: unknown }>;
}

export interface AnswerDescription {
  description: string;
  headers?: Record<string, object>;
  /** The content by media type. Left out for an answer without a body. */
  content?: Record<string, Content>;
}

/** The description of one row of the route table. The row itself has its path, caller and limits. */
export interface Operation {
  id: string;
  tag: keyof typeof TAGS;
  summary: string;
  description?: string;
  parameters?: Parameter[];
  body?: AnswerDescription;
  answers: Record<string, AnswerDescription>;
  /** The errors besides those that every route of its caller can answer. */
  errors?: ErrorCode[];
}

export const ref = (schema: string) => ({ $ref: `#/components/schemas/${schema}` });

/** The body of a request or an answer with its schema and an example. */
export const json = (description: string, schema: string, sample: unknown) =>
  withExamples(description, schema, { sample });

/** The same with several examples, by name. */
export const withExamples = (
  description: string,
  schema: string,
  examples: Record<string, unknown>,
  type = 'application/json',
): AnswerDescription => ({
  description,
  content: { [type]: { schema: ref(schema), examples: valuesOf(examples) } },
});

/** Examples as OpenAPI has them. */
export const valuesOf = (examples: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }]));

export const query = (name: string, description: string, schema: object): Parameter => ({
  name,
  in: 'query',
  description,
  schema,
});

export const inPath = (name: string, description: string, schema: object, example: string): Parameter => ({
  name,
  in: 'path',
  required: true,
  description,
  schema,
  example,
});
