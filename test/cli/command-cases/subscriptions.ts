import type { CommandCase } from './command-case';

export const commandCase: CommandCase = {
  prepare: async (scene) => [await scene.addSharedChannel()],

  table: { says: /^ACCOUNT .*\n42-1001 +policy-1 /m },
  json: { holds: { data: [{ account: '42-1001', partner_id: 'policy-1', phone_ending: '42' }] } },
  error: { args: ['nobody'], exitCode: 1, says: /there is no channel nobody; / },
};
