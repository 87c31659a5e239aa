import type { CommandCase } from './command-case';

export const commandCase: CommandCase = {
  prepare: async (scene) => [await scene.addChannel()],

  table: { says: /^class +unavailable$/m, exitCode: 1 }, // nobody listens at port 9
  json: { holds: { status: null, class: 'unavailable' }, exitCode: 1 },
  error: { args: ['nobody'], exitCode: 1, says: /there is no channel nobody; / },
};
