import { Type } from '@sinclair/typebox';
import { ref, type AnswerDescription, type Operation } from '../operation';

const json = (description: string, schema: object): AnswerDescription => ({
  description,
  content: { 'application/json': { schema } },
});
const unchanged: AnswerDescription = { description: 'What you hold is current (`If-None-Match`).' };
const text = (type: string): AnswerDescription => ({
  description: 'The file.',
  content: { [type]: { schema: Type.String() } },
});

export const SERVICE_OPERATIONS: Record<string, Operation> = {
  'GET /livez': {
    id: 'livez',
    tag: 'service',
    summary: 'Whether the process answers',
    answers: { 200: json('It does.', ref('Alive')) },
  },
  'GET /readyz': {
    id: 'readyz',
    tag: 'service',
    summary: 'Whether it can take requests, part by part',
    answers: { 200: json('It can.', ref('Readiness')), 503: json('It cannot.', ref('Readiness')) },
  },
  'GET /openapi.json': {
    id: 'openApi',
    tag: 'service',
    summary: 'This document',
    answers: {
      200: json('OpenAPI 3.1.', Type.Object({ openapi: Type.String() }, { additionalProperties: true })),
      304: unchanged,
    },
  },
  'GET /docs': {
    id: 'docs',
    tag: 'service',
    summary: 'This document, to read',
    answers: { 200: text('text/html'), 304: unchanged },
  },
  'GET /docs/:file': {
    id: 'docsFile',
    tag: 'service',
    summary: 'What that page is made of',
    parameters: [
      { name: 'file', in: 'path', required: true, description: 'Its name.', schema: Type.String() },
    ],
    answers: {
      200: {
        description: 'The file.',
        content: {
          'text/css': { schema: Type.String() },
          'text/javascript': { schema: Type.String() },
          'image/png': { schema: {} },
        },
      },
      304: unchanged,
    },
    errors: ['NOT_FOUND'],
  },
};
