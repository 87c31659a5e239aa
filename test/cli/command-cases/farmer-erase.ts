import { farmerIdOf } from '../../../store/sharing/farmers';
import type { CommandCase } from './command-case';

const [PHONE, OTHER] = ['7015553111', '701-555-3112'] as const;

export const commandCase: CommandCase = {
  async prepare(scene) {
    for (const phone of [PHONE, OTHER.replaceAll('-', '')]) await farmerIdOf(scene.store, phone);
    return [PHONE, '--reason', 'a letter'];
  },

  table: { says: /^links +1$/m },
  json: {
    args: [OTHER, '--reason', 'a letter'],
    holds: { links: 1, left: { ledger_entries: 0, accounts: [] } },
  },
  error: { args: ['555-0142', '--reason', 'a letter'], exitCode: 2, says: /Use ten digits/ },
};
