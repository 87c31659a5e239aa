import type { CommandCase } from './command-case';

export const commandCase: CommandCase = {
  // What is shared there was never written into its ledger.
  prepare: async (scene) => [await scene.addSharedChannel()],

  table: {
    says: /^CHANNEL +HOLDS .*\nscene-\w+ +no .* 1\nCHANNEL +PARTNER_ID +ACCOUNT\nscene-\w+ +policy-1 +42-1001$/m,
    exitCode: 1,
  },
  json: {
    holds: {
      data: [{ ok: false, links: 0, without_grant: [{ partner_id: 'policy-1', account: '42-1001' }] }],
    },
    exitCode: 1,
  },
  error: { args: ['nobody'], exitCode: 1, says: /there is no channel nobody; / },
};
