import type { CommandCase } from './command-case';

export const commandCase: CommandCase = {
  table: { says: /^42-100 +Casselton/m },
  json: { holds: { data: [{ id: '42-100', company_id: '42' }] } },
  error: { args: ['--jsno'], exitCode: 2, says: /unknown option '--jsno'/ },
};
