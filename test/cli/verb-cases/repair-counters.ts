import type { VerbCase } from './verb-case';

export const verbCase: VerbCase = {
  table: {
    args: ['--dry-run'],
    says: /^ENTITY_TYPE +COUNTER +HIGHEST +REPAIRED\n.*every counter is above every known position$/ms,
  },
  json: {
    holds: {
      data: expect.arrayContaining([{ entity_type: 'tickets', counter: 3, highest: 3, repaired: false }]),
      receipts_forgotten: 0,
    },
  },
  error: { args: ['tickets'], exitCode: 2, says: /too many arguments.*; add --help/ },
};
