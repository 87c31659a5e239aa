import type { CommandCase } from './command-case';

export const commandCase: CommandCase = {
  async prepare(scene) {
    await scene.store.db.collection('operator_actions').drop();
    return [];
  },
  table: {
    says: /^applied collections and indexes\n  collection operator_actions$/m,
    recorded: { before: { missing: expect.arrayContaining(['collection operator_actions']) } },
  },
  json: { holds: { dry_run: false, migrations: [{ number: 0 }] } },
  error: { args: ['backwards'], exitCode: 2, says: /too many arguments.*; add --help/ },
};
