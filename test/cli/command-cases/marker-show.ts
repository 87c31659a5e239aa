import type { CommandCase } from './command-case';

export const commandCase: CommandCase = {
  prepare: async (scene) => [await scene.addChannel()],

  table: { says: /^ENTITY_TYPE .*\ntickets +- +3 / },
  json: { holds: { data: [{ entity_type: 'tickets', pending_records: 3, last_reset: null }] } },
  error: { args: ['nobody'], exitCode: 1, says: /there is no channel nobody; / },
};
