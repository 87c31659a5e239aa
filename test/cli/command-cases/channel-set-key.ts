import type { CommandCase } from './command-case';

export const commandCase: CommandCase = {
  prepare: async (scene) => [await scene.addChannel(), '--expires', 'never', '--address', 'any'],
  table: {
    says: /^expires_at +-\naddresses +-?$/m,
    recorded: { before: { expires_at: null, addresses: [] } },
  },
  json: { holds: { expires_at: null, addresses: [] } },
  error: { args: ['nobody', '--expires', '2020-01-01T00:00:00Z'], exitCode: 2, says: /a time to come/ },
};
