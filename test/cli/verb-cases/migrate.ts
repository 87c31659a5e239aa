import type { VerbCase } from './verb-case';

export const verbCase: VerbCase = {
  table: { args: ['--dry-run'], says: /^nothing to do: the database is up to date$/m },
  json: { holds: { dry_run: false, migrations: [] } },
  error: { args: ['backwards'], exitCode: 2, says: /too many arguments.*; add --help/ },
};
