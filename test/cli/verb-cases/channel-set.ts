import type { VerbCase } from './verb-case';

export const verbCase: VerbCase = {
  prepare: async (scene) => [await scene.addChannel(), '--cadence', '30m'],
  table: { says: /^cadence +30m$/m },
  json: { holds: { cadence: '30m' } },
  error: { args: ['nobody'], exitCode: 2, says: /nothing to change; / },
};
