import type { CommandCase } from './command-case';

export const commandCase: CommandCase = {
  prepare: async (scene) => [await scene.addChannel()],

  table: {
    says: /^slug +scene-\w+\nlink_key +gdx_link_[\w-]{43}\nold_link_key_ends_at +-$/m,
    recorded: { before: { link_keys: 0 } },
  },
  json: { holds: { link_key: expect.stringMatching(/^gdx_link_/), old_link_key_ends_at: null } },
  error: { args: ['nobody'], exitCode: 1, says: /there is no channel nobody; / },
};
