import type { CommandCase } from './command-case';

export const commandCase: CommandCase = {
  table: { args: ['--new'], says: /^previous +\S{8}$/m },
  json: { args: [], holds: { current: expect.any(String), previous: expect.any(String) } },
  error: { args: ['--new'], exitCode: 1, says: /two keys are in use already; / },
};
