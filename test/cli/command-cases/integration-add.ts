import type { CommandCase } from './command-case';

export const commandCase: CommandCase = {
  prepare: async () => ['--company-id', '42', '--company', 'Prairie Co-op'],
  table: { says: /^id +\S+\ntoken +gdx_erp_\w+\n$/ },
  json: { holds: { id: expect.any(String), token: expect.stringMatching(/^gdx_erp_/) } },
  error: { args: ['--company-id', '4-2', '--company', 'X'], exitCode: 2, says: /letters, digits, dots/ },
};
