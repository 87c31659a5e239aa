import type { CommandCase } from './command-case';

export const commandCase: CommandCase = {
  prepare: async (scene) => [await scene.addChannel(), '--all'],
  table: { says: /^revoked +all$/m },
  json: { holds: { revoked: 'all' } },
  error: { args: ['nobody', '--all'], exitCode: 1, says: /there is no channel nobody; / },
};
