import type { CommandCase } from './command-case';

export const commandCase: CommandCase = {
  prepare: async (scene) => [await scene.addChannel(), 'tickets', '42-1', '42-none'],
  table: { says: /^resends 1 ticket\n$/ },
  json: { holds: { records: 1, unknown: ['42-none'], starts: 'now' } },
  error: {
    args: ['acme', 'tickets', '42-1', '--account', '42-1001'],
    exitCode: 2,
    says: /which records\?; name their ids/,
  },
};
