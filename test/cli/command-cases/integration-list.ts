import type { CommandCase } from './command-case';

export const commandCase: CommandCase = {
  prepare: async (scene) => {
    await scene.addIntegration();
    return [];
  },

  table: { says: /^ID .* PUSHED_AT +USUALLY_WITHIN +SILENT +DAY_RECORDS .*\n.* Prairie Co-op /m },
  json: {
    holds: {
      data: expect.arrayContaining([
        expect.objectContaining({ company_id: '42', silent: false, pushed_at: null }),
      ]),
    },
  },
  error: { args: ['everything'], exitCode: 2, says: /too many arguments/ },
};
