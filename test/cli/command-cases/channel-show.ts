import type { CommandCase } from './command-case';

export const commandCase: CommandCase = {
  prepare: async (scene) => [await scene.addChannel()],

  table: { says: /^state +active$/m },
  json: { holds: { state: 'active', name: 'Acme Crop Insurance' } },
  error: { args: ['nobody'], exitCode: 1, says: /there is no channel nobody; / },
};
