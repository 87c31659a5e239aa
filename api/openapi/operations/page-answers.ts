import { Type } from '@sinclair/typebox';
import type { AnswerDescription } from '../operation';

export const page = (description: string): AnswerDescription => ({
  description,
  content: { 'text/html': { schema: Type.String() } },
});

export const onward = (description: string): AnswerDescription => ({
  description,
  headers: { Location: { schema: Type.String() } },
});
