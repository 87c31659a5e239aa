import type { CommandCase } from './command-case';

export const commandCase: CommandCase = {
  prepare: async (scene) => [await scene.addChannel()],

  table: {
    says: /^api_key +gdx_channel_\w+$/m,
    recorded: { before: { api_keys: 1, old_api_key_ends_at: null } },
  },
  json: {
    holds: { api_key: expect.stringMatching(/^gdx_channel_/), old_api_key_ends_at: expect.any(String) },
  },
  error: { args: ['nobody'], exitCode: 1, says: /there is no channel nobody; / },
};
