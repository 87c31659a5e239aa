import type { VerbCase } from './verb-case';

export const verbCase: VerbCase = {
  prepare: async (scene) => [await scene.addChannel()],

  table: { says: /^customer +Acme Crop Insurance\n.*^pending +3$/ms },
  json: { holds: { deliveries: 0, pending: 3, types: [{ entity_type: 'tickets' }], html: null } },
  error: { args: ['nobody'], exitCode: 1, says: /there is no channel nobody; / },
};
