import type { VerbCase } from './verb-case';

export const verbCase: VerbCase = {
  prepare: async (scene) => [await scene.addChannel(), '--reason', 'their disk is full'],
  table: { says: /^state +paused\nreason +their disk is full$/m },
  json: { holds: { state: 'paused', reason: 'their disk is full' } },
  error: { args: ['nobody', '--reason', 'x'], exitCode: 1, says: /there is no channel nobody; / },
};
