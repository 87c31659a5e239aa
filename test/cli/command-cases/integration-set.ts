import type { CommandCase } from './command-case';

const ADDRESSES = ['203.0.113.0/24', '2001:db8::/32'];

export const commandCase: CommandCase = {
  prepare: async (scene) => [
    await scene.addIntegration(),
    ...['--expires', '90d'],
    ...ADDRESSES.flatMap((address) => ['--address', address]),
  ],
  table: {
    says: /^expires_at +20\S+Z\naddresses +203\.0\.113\.0\/24, 2001:db8::\/32$/m,
    recorded: { before: { expires_at: null, addresses: [] } },
  },
  json: { holds: { expires_at: expect.any(String), addresses: ADDRESSES } },
  error: { args: ['nobody', '--address', '203.0.113.7'], exitCode: 2, says: /203\.0\.113\.7\/32/ },
};
