import type { VerbCase } from './verb-case';

export const verbCase: VerbCase = {
  prepare: async (scene) => {
    await scene.addIntegration();
    return [];
  },

  table: { says: /^ID .*\n.* Prairie Co-op /m },
  json: { holds: { data: expect.arrayContaining([expect.objectContaining({ company_id: '42' })]) } },
  error: { args: ['everything'], exitCode: 2, says: /too many arguments/ },
};
