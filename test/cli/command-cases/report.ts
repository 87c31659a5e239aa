import type { CommandCase } from './command-case';

export const commandCase: CommandCase = {
  prepare: async (scene) => [await scene.addChannel()],

  table: { says: /^customer +Acme Crop Insurance\n.*^pending +3$/ms },
  json: { holds: { deliveries: 0, pending: 3, types: [{ entity_type: 'tickets' }], html: null } },
  error: { args: ['nobody'], exitCode: 1, says: /there is no channel nobody; / },
};
