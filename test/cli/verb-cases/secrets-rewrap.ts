import type { VerbCase } from './verb-case';

export const verbCase: VerbCase = {
  table: { says: /^KIND +CURRENT / },
  json: { holds: { dry_run: false, data: expect.any(Array) } },
  error: { args: ['--jsno'], exitCode: 2, says: /unknown option '--jsno'/ },
};
