import type { CommandCase } from './command-case';

export const commandCase: CommandCase = {
  prepare: async (scene) => [await scene.addIntegration()],

  table: { says: /^token +gdx_erp_\w+$/m },
  json: { holds: { token: expect.stringMatching(/^gdx_erp_/), old_token_ends_at: expect.any(String) } },
  error: { args: ['nobody'], exitCode: 1, says: /there is no integration nobody; / },
};
