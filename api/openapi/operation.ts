import type { TSchema } from '@sinclair/typebox';
import type { ErrorCode } from '../http/http-error';

/** The groups of the reference, in its order. */
export const TAGS = {
  push: 'What an ERP sends.',
  feed: 'The next page, for a customer who collects its pages.',
  markers: 'What a customer has confirmed, and how to get records again.',
  digest: 'Whether both sides hold the same.',
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

export interface Content {
  schema: TSchema | object;
  examples?: Record<string, { summary?: string; value: unknown }>;
}

export interface AnswerDescription {
  description: string;
  headers?: Record<string, object>;
  /** By media type; none: an answer without a body. */
  content?: Record<string, Content>;
}

/** What the document says of one row of the route table beside what the row itself says. */
export interface Operation {
  id: string;
  tag: keyof typeof TAGS;
  summary: string;
  description?: string;
  parameters?: Parameter[];
  body?: { description: string; content: Record<string, Content> };
  answers: Record<string, AnswerDescription>;
  /** Beside those that every route of its caller can answer. */
  errors?: ErrorCode[];
}

export const ref = (schema: string) => ({ $ref: `#/components/schemas/${schema}` });

/** A JSON answer of one of the schemas, with an example. */
export const jsonAnswer = (description: string, schema: string, value: unknown): AnswerDescription => ({
  description,
  content: { 'application/json': { schema: ref(schema), examples: { sample: { value } } } },
});
