import type { CommandCase } from './command-case';

export const commandCase: CommandCase = {
  prepare: async (scene) => [await scene.addRefusingChannel()],

  table: { says: /^ENTITY_TYPE .*\ntickets +42-2 .* no such crop$/m },
  json: { holds: { data: [{ record: '42-2', status: 422, answer: 'no such crop' }] } },
  error: { args: ['nobody'], exitCode: 1, says: /there is no channel nobody; / },
};
