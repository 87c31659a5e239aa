import type { CommandCase } from './command-case';

export const commandCase: CommandCase = {
  prepare: async (scene) => [await scene.addChannel(), 'tickets', '--timestamp', '2026-01-01T00:00:00Z'],
  table: { says: /^resends 3 tickets, about 1 page\n$/ },
  json: { holds: { timestamp: '2026-01-01T00:00:00.000Z', records: 3, pages: 1 } },
  error: {
    args: ['nobody', 'tickets', '--timestamp', '2026-02-30T00:00:00Z'],
    exitCode: 2,
    says: /must be an RFC 3339/,
  },
};
