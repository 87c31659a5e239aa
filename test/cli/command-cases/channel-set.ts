import type { CommandCase } from './command-case';

export const commandCase: CommandCase = {
  prepare: async (scene) => [await scene.addChannel(), '--cadence', '30m'],
  table: { says: /^cadence +30m$/m, recorded: { about: 'cadence_ms', before: { cadence_ms: 3_600_000 } } },
  json: { holds: { cadence: '30m' } },
  error: { args: ['nobody'], exitCode: 2, says: /nothing to change; / },
};
