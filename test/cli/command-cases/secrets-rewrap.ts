import type { CommandCase } from './command-case';

export const commandCase: CommandCase = {
  table: { says: /^KIND +CURRENT / },
  json: { holds: { dry_run: false, data: expect.any(Array) } },
  error: { args: ['--jsno'], exitCode: 2, says: /unknown option '--jsno'/ },
};
