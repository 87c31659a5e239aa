import type { VerbCase } from './verb-case';

export const verbCase: VerbCase = {
  prepare: async (scene) => [await scene.addIntegration(), '--all'],

  table: { says: /^revoked +all$/m },
  json: { holds: { revoked: 'all' } },
  error: { args: ['nobody', '--all'], exitCode: 1, says: /there is no integration nobody; / },
};
