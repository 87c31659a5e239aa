import type { VerbCase } from './verb-case';

export const verbCase: VerbCase = {
  prepare: async (scene) => [await scene.addChannel()],

  table: { says: /^CHANNEL +HOLDS .*\nscene-\w+ +yes /m },
  json: { holds: { data: [{ ok: true, links: 0 }] } },
  error: { args: ['nobody'], exitCode: 1, says: /there is no channel nobody; / },
};
