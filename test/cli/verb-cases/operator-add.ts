import { randomBytes } from 'node:crypto';
import type { VerbCase } from './verb-case';

export const verbCase: VerbCase = {
  prepare: async () => [`Ada ${randomBytes(4).toString('hex')}`],
  table: { says: /^name +Ada \w+\ntoken +\S+\n$/ },
  json: { holds: { name: expect.any(String), token: expect.any(String) } },
  error: { args: [' '], exitCode: 2, says: /1 to 200 characters/ },
};
