import type { VerbCase } from './verb-case';

export const verbCase: VerbCase = {
  prepare: async () => ['tickets', '42-2'],
  table: { says: /^position +2\n/m },
  json: { holds: { id: '42-2', record: { ticket: { remote_id: '2' } } } },
  error: { args: ['tickets', '42-9'], exitCode: 1, says: /no record 42-9 among the tickets; / },
};
