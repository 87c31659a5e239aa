import type { VerbCase } from './verb-case';

export const verbCase: VerbCase = {
  prepare: async (scene) => [await scene.addChannel()],

  table: { says: /^api_key +gdx_channel_\w+$/m },
  json: {
    holds: { api_key: expect.stringMatching(/^gdx_channel_/), old_api_key_ends_at: expect.any(String) },
  },
  error: { args: ['nobody'], exitCode: 1, says: /there is no channel nobody; / },
};
