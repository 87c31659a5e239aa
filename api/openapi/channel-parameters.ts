import { Type } from '@sinclair/typebox';
import type { Parameter } from './operation';

export const CHANNEL = '/api/v1/channels/:channel_slug';

export const slug: Parameter = {
  name: 'channel_slug',
  in: 'path',
  required: true,
  description: 'Your channel, as the operator named it.',
  schema: Type.String(),
  example: 'acme',
};

export const query = (name: string, description: string, schema: object): Parameter => ({
  name,
  in: 'query',
  description,
  schema,
});
