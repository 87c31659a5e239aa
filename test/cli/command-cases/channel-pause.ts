import type { CommandCase } from './command-case';

export const commandCase: CommandCase = {
  prepare: async (scene) => [await scene.addChannel(), '--reason', 'their disk is full'],
  table: { says: /^state +paused\nreason +for channel pause$/m },
  json: { holds: { state: 'paused', reason: 'their disk is full' } },
  error: { args: ['nobody', '--reason', 'x'], exitCode: 1, says: /there is no channel nobody; / },
};
