import type { CommandCase } from './command-case';

export const commandCase: CommandCase = {
  prepare: async (scene) => {
    const slug = await scene.addSharedChannel();
    return [slug, '--account', '42-1001', '--reason', 'called us', '--yes'];
  },

  table: {
    says: /^still_shared +no\nreason +for subscriptions revoke$/m,
    recorded: { about: '42-1001', before: { shared: ['policy-1, …42'] } },
  },
  json: { holds: { account: '42-1001', ended: 1, still_shared: false } },
  error: {
    args: ['nobody', '--account', '42-1001', '--reason', 'x'],
    exitCode: 1,
    says: /there is no channel nobody; /,
  },
};
