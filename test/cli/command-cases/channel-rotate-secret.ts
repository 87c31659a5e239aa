import type { CommandCase } from './command-case';

export const commandCase: CommandCase = {
  prepare: async (scene) => [await scene.addChannel()],

  table: { says: /^signing_secret +whsec_\S+$/m },
  json: { holds: { signing_secret: expect.stringMatching(/^whsec_/), old_until: expect.any(String) } },
  error: { args: ['nobody'], exitCode: 1, says: /there is no channel nobody; / },
};
