import type { CommandCase } from './command-case';

export const commandCase: CommandCase = {
  prepare: async (scene) => [await scene.addChannel()],

  table: { says: /^slug +scene-\w+\nrequest_id +[\w-]{36}$/m },
  json: { holds: { slug: expect.any(String), request_id: expect.any(String) } },
  error: { args: ['nobody'], exitCode: 1, says: /there is no channel nobody; / },
};
