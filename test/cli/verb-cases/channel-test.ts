import type { VerbCase } from './verb-case';

export const verbCase: VerbCase = {
  prepare: async (scene) => [await scene.addChannel()],

  table: { says: /^class +unavailable$/m, exitCode: 1 }, // nobody listens at port 9
  json: { holds: { status: null, class: 'unavailable' }, exitCode: 1 },
  error: { args: ['nobody'], exitCode: 1, says: /there is no channel nobody; / },
};
