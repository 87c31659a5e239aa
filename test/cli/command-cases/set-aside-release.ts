import type { CommandCase } from './command-case';

export const commandCase: CommandCase = {
  prepare: async (scene) => [await scene.addRefusingChannel(), '42-2'],

  table: { says: /^released 1 record to Acme Crop Insurance\n$/ },
  json: { holds: { released: 1 } },
  error: { args: ['nobody', '42-2'], exitCode: 1, says: /there is no channel nobody; / },
};
